// Nothing: the headers that tests/CMakeLists.txt names are compiled for it, and used by every test.

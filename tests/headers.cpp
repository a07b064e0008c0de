// Empty: compiles the headers listed in tests/CMakeLists.txt as precompiled headers for every test.

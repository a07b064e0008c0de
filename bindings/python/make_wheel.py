"""Builds a wheel from the built package directory, without network access: make_wheel.py PACKAGE FOLDER prints its path."""

import os
import shutil
import subprocess
import sys

SETUP = """
from setuptools import setup
from setuptools.dist import Distribution


class WithExtension(Distribution):
    def has_ext_modules(self):
        return True


setup(name="ckpt", version={version!r}, description="Embeddable checkpointing", packages=["ckpt", "ckpt.generated"],
      package_data={{"ckpt": ["*.so", "*.so.*", "*.pyi", "py.typed"], "ckpt.generated": ["*.pyi"]}}, python_requires=">=3.9", distclass=WithExtension,
      extras_require={{"numpy": ["numpy"]}}, zip_safe=False)
"""


def make(package, folder):
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.abspath(package)), "PYTHONDONTWRITEBYTECODE": "1"}
    version = subprocess.run([sys.executable, "-c", "import ckpt; print(ckpt.__version__)"], env=environment, check=True,
                             stdout=subprocess.PIPE, text=True).stdout.strip()
    shutil.rmtree(folder, ignore_errors=True)
    stage = os.path.join(folder, "stage")
    shutil.copytree(package, os.path.join(stage, "ckpt"), ignore=shutil.ignore_patterns("__pycache__"))  # follows links
    with open(os.path.join(stage, "setup.py"), "w", encoding="utf-8") as file:
        file.write(SETUP.format(version=version))
    command = [sys.executable, "setup.py", "--quiet", "bdist_wheel", "--dist-dir", os.path.abspath(folder)]
    subprocess.run(command, cwd=stage, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return next(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".whl"))


if __name__ == "__main__":
    print(make(*sys.argv[1:]))

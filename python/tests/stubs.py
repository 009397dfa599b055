# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Do the type stubs have the functions and parameters that the module has?"""

import ast
import inspect
import pathlib
import sys

from mpix_partitioned import __all__, _core

path = pathlib.Path(_core.__file__).parent / "_core.pyi"
stubs = {node.name: [argument.arg for argument in node.args.args]
         for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)}
faults = [name for name in __all__
          if stubs.get(name) != list(inspect.signature(getattr(_core, name)).parameters)]
faults += [name for name in stubs if name not in __all__]
sys.exit(f"{path.name} differs: {', '.join(faults)}" if faults else 0)

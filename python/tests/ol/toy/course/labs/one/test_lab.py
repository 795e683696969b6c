import importlib.util
from pathlib import Path


def test_answer():
    spec = importlib.util.spec_from_file_location("lab", Path(__file__).parent / "lab.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.answer() == 42

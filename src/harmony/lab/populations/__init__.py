"""Simulated people: census populations like the paper's, a fleet of phones, a user's own data."""

from .census import br, us
from .encode import encode, labels
from .ipums import Extract, load_extract
from .model import Population, Table
from .phones import phones

__all__ = [
    "Extract",
    "Population",
    "Table",
    "br",
    "encode",
    "labels",
    "load_extract",
    "phones",
    "us",
]

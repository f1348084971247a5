from .files import dh_table as dh_table, load as load, save as save, settings as settings
from .forces import (
    heading as heading,
    read_rows as read_rows,
    split as split,
    without_units as without_units,
)
from .nodes import FileNode as FileNode, parse as parse, read_text as read_text
from .parts import PartReader as PartReader
from .reading import Reader as Reader
from .schema import (
    DESIGN as DESIGN,
    element_schema as element_schema,
    json_schema as json_schema,
    specs as specs,
    type_name as type_name,
)
from .tables import column as column, read_table as read_table
from .urdf import is_urdf as is_urdf
from .writing import element as element, to_json as to_json

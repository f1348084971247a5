from ..field_specs import specs as specs, type_name as type_name
from .csv_tables import column as column, read_table as read_table
from .deserialize import PartReader as PartReader
from .document_tree import FileNode as FileNode, parse as parse, read_text as read_text
from .force_nodes import (
    parse_heading as parse_heading,
    read_csv_rows as read_csv_rows,
    split as split,
    without_units as without_units,
)
from .load_save import dh_table as dh_table, load as load, save as save, settings as settings
from .schema import (
    DESIGN_SECTIONS as DESIGN_SECTIONS,
    element_schema as element_schema,
    json_schema as json_schema,
)
from .serialize import element as element, to_json as to_json
from .urdf_reader import is_urdf as is_urdf
from .yaml_reader import Reader as Reader

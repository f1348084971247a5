from .constraints import (
    ConstraintElement as ConstraintElement,
    LoopRows as LoopRows,
    Relative as Relative,
    memory as memory,
    watched as watched,
)
from .core import (
    Closure as Closure,
    Link as Link,
    Place as Place,
    System as System,
    Tree as Tree,
    pose_over as pose_over,
)
from .elements import ForceElement as ForceElement
from .layout import (
    Block as Block,
    Layout as Layout,
    Port as Port,
    Ports as Ports,
    Watched as Watched,
)
from .lowering import check as check, unmerged as unmerged
from .rows import Rod as Rod

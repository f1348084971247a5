from .constraints import (
    ConstraintElement as ConstraintElement,
)
from .constraints import (
    LoopRows as LoopRows,
)
from .constraints import (
    Relative as Relative,
)
from .constraints import (
    constraint_elements as constraint_elements,
)
from .constraints import (
    memory as memory,
)
from .constraints import (
    switched as switched,
)
from .core import (
    Closure as Closure,
)
from .core import (
    Link as Link,
)
from .core import (
    Place as Place,
)
from .core import (
    Port as Port,
)
from .core import (
    System as System,
)
from .core import (
    Tree as Tree,
)
from .core import (
    pose_over as pose_over,
)
from .elements import ForceElement as ForceElement
from .elements import force_elements as force_elements
from .lowering import check as check
from .lowering import unmerged as unmerged
from .rows import Rod as Rod

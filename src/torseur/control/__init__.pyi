from ..robots import (
    ComputedTorque as ComputedTorque,
    FeedforwardEffort as FeedforwardEffort,
    GainSchedule as GainSchedule,
    PDGravity as PDGravity,
    Regulator as Regulator,
    StepMetrics as StepMetrics,
    export_controller as export_controller,
    feedforward as feedforward,
    lqr as lqr,
    motors as motors,
    step_metrics as step_metrics,
)

__all__ = [
    "ComputedTorque",
    "FeedforwardEffort",
    "GainSchedule",
    "PDGravity",
    "Regulator",
    "StepMetrics",
    "export_controller",
    "feedforward",
    "lqr",
    "step_metrics",
]

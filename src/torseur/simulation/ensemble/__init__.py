"""Many runs of one model: batches and SIMD lanes."""

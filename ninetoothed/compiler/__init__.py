"""Frontend, pipeline and emitter put together; the space of configurations and its costs."""

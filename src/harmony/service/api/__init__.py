"""The admin, analysis and device API, in FastAPI: everything but the ingest route."""

"""Alembic's entry: run the migrations on the connection that `database.migrate` opened."""

from alembic import context

from harmony.service.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()

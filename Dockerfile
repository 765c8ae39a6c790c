# amr in an image: by default the sidecar. PYTHON_IMAGE: the base.
ARG PYTHON_IMAGE=python:3.12-slim
FROM ${PYTHON_IMAGE}
WORKDIR /app
COPY pyproject.toml README.md LICENSE docker-compose.yml ./
COPY amr_neo4j amr_neo4j
COPY cypher cypher
COPY migrations migrations
RUN pip install --no-cache-dir ".[sidecar]"
ENV AMR_DATA_DIR=/data
VOLUME /data
ENTRYPOINT ["amr"]
CMD ["sidecar", "serve", "--host", "0.0.0.0", "--no-tls"]

#!/bin/sh
# Start Neo4j with what NEO4J_AUTH says, as the official image does: neo4j/PASSWORD, or none.
set -eu
export NEO4J_HOME=/opt/neo4j NEO4J_CONF=/opt/neo4j/conf

case "${NEO4J_AUTH:-}" in
    none) echo dbms.security.auth_enabled=false >>"$NEO4J_CONF/neo4j.conf" ;;
    neo4j/*) [ -e "$NEO4J_HOME/data/dbms/auth.ini" ] || /opt/java/bin/java -cp "$NEO4J_HOME/lib/*" \
        org.neo4j.cli.AdminTool dbms set-initial-password "${NEO4J_AUTH#neo4j/}" ;;
    *) echo "set NEO4J_AUTH to neo4j/PASSWORD or none" >&2; exit 1 ;;
esac

exec /opt/java/bin/java -Xmx768m -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError -Dlog4j2.disable.jmx=true \
    --add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/java.io=ALL-UNNAMED \
    --add-opens=java.base/sun.nio.ch=ALL-UNNAMED -cp "$NEO4J_HOME/lib/*" \
    org.neo4j.server.CommunityEntryPoint --home-dir="$NEO4J_HOME" --config-dir="$NEO4J_CONF" --console-mode

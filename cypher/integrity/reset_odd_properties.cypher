// Empty properties of the wrong type, without which a turn, an event or a fact is whole still.
// params: group_id
MATCH (n:Episode|Event|SupersededEvent|Fact)
WHERE n.group_id = $group_id
  AND NOT CASE
    WHEN n:Episode THEN n.metadata IS :: STRING NOT NULL
    WHEN n:Fact THEN n.last_updated IS :: ZONED DATETIME NOT NULL
    ELSE n.spatial_descriptions IS :: LIST<STRING NOT NULL> END
FOREACH (_ IN CASE WHEN n:Episode THEN [1] ELSE [] END | SET n.metadata = '{}')
FOREACH (_ IN CASE WHEN n:Fact THEN [1] ELSE [] END | SET n.last_updated = n.created_at)
FOREACH (_ IN CASE WHEN n:Event OR n:SupersededEvent THEN [1] ELSE [] END | SET n.spatial_descriptions = [])
RETURN count(n) AS nodes

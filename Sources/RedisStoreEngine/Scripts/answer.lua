#!lua flags=allow-oom
-- Publishes answers of a cluster's leader to one node, beside the log, unless another process leads by now.
--
-- KEYS[1]  hash of the leader (lead.lua)
-- ARGV[1]  generation of the leader that answers
-- ARGV[2]  channel of the node's answers
-- ARGV[3]  the answers, encoded
-- Cost     one HGET and one PUBLISH
--
-- Answers 'told' or 'fenced'. Runs also while Redis is full, because it stores nothing.
if redis.call('HGET', KEYS[1], 'generation') ~= ARGV[1] then return 'fenced' end
redis.call('PUBLISH', ARGV[2], ARGV[3])
return 'told'

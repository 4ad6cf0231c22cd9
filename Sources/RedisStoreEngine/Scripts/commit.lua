#!lua
-- Appends a batch to the log of a cluster, tells it to the nodes, and changes what is kept: all of it, or nothing.
--
-- KEYS[1]  hash of the leader (lead.lua)
-- KEYS[2]  stream of the log: ids <generation>-<sequence>, field b
-- KEYS[3…] in a Redis Cluster, the keys of the commands: while the slot moves, Redis refuses a batch whose keys are not all in one place
-- ARGV[1]  generation of the leader that commits
-- ARGV[2]  sequence of the batch
-- ARGV[3]  the batch, encoded
-- ARGV[4]  channel of the log
-- ARGV[5]  id of the first entry that has to stay in the log; empty for all
-- ARGV[6…] commands that write: for each the number of its words, at most 7,000 (`unpack` fails at about 8,000), then the words. Their keys
--          have the hash tag of KEYS[1].
-- Cost     that of the commands, and one XADD and one PUBLISH
--
-- Answers {'kept', failures} (also when it had been kept before), {'fenced'} when another process leads, or {'behind', sequence} when Redis
-- has lost batches. A command that fails (a key with a value of another type) or is too long is counted and does not stop the others.
local record = redis.call('HMGET', KEYS[1], 'generation', 'sequence')
if record[1] ~= ARGV[1] then return {'fenced'} end
local last, sequence = tonumber(record[2]), tonumber(ARGV[2])
if sequence <= last then return {'kept', 0} end
if sequence > last + 1 then return {'behind', record[2]} end

local failures = 0
local index = 6
while index <= #ARGV do
  local count = tonumber(ARGV[index])
  local result = count <= 7000 and redis.pcall(unpack(ARGV, index + 1, index + count)) or nil
  if count > 7000 or type(result) == 'table' and result.err then failures = failures + 1 end
  index = index + count + 1
end
local id = ARGV[1] .. '-' .. ARGV[2]
if ARGV[5] == '' then
  redis.call('XADD', KEYS[2], id, 'b', ARGV[3])
else
  redis.call('XADD', KEYS[2], 'MINID', '~', ARGV[5], id, 'b', ARGV[3])
end
redis.call('HSET', KEYS[1], 'sequence', ARGV[2])
redis.call('PUBLISH', ARGV[4], ARGV[3])
return {'kept', failures}

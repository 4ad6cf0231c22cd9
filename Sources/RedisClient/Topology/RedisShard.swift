/// One shard of a Redis Cluster: its slots and its master.
struct RedisShard: Hashable, Sendable {
    var slots: [ClosedRange<Int>]
    var master: RedisAddress.Host?

    /// Parses the shards in an answer to `CLUSTER SHARDS`. Malformed shards are skipped.
    static func list(_ value: RedisValue, usesTLS: Bool) -> [RedisShard] {
        (value.elements ?? []).map { shard in
            let numbers = (shard["slots"]?.elements ?? []).compactMap { $0.number.map { Int($0) } }
            var slots: [ClosedRange<Int>] = []
            // in bounds: the stride ends before the last element.
            for index in stride(from: 0, to: numbers.count - 1, by: 2) where numbers[index] <= numbers[index + 1] {
                // in bounds: the stride ends before the last element.
                slots.append(numbers[index]...numbers[index + 1])
            }
            let master = (shard["nodes"]?.elements ?? []).first { node in
                node["role"]?.text == "master" && node["health"]?.text == "online"
            }
            let port = master?[usesTLS ? "tls-port" : "port"]?.number
            // The field `endpoint` is empty or `?` if the node has no preferred name for clients; then its IP address is used.
            let name = [master?["endpoint"]?.text, master?["ip"]?.text].compactMap(\.self).first { !$0.isEmpty && $0 != "?" }
            guard let name, let port, (1...65_535).contains(port) else { return RedisShard(slots: slots, master: nil) }
            return RedisShard(slots: slots, master: RedisAddress.Host(name, port: Int(port)))
        }
    }
}

/// Computes the hash slots of a Redis Cluster.
enum RedisSlot {
    /// The slot of a key, computed from its hash tag if it has one.
    static func of(_ key: String) -> Int {
        var bytes = Array(key.utf8)[...]
        if let open = bytes.firstIndex(of: UInt8(ascii: "{")) {
            let inside = bytes.suffix(from: bytes.index(after: open))
            if let close = inside.firstIndex(of: UInt8(ascii: "}")), close > inside.startIndex {
                bytes = inside.prefix(upTo: close)
            }
        }
        // CRC-16/XMODEM, as specified by Redis Cluster.
        var sum: UInt16 = 0
        for byte in bytes {
            sum ^= UInt16(byte) << 8
            for _ in 0..<8 { sum = sum & 0x8000 != 0 ? (sum << 1) ^ 0x1021 : sum << 1 }
        }
        return Int(sum % 16_384)
    }
}

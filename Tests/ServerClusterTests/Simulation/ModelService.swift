import ClusterTestSupport
import NIOCore
import ServerCluster

/// A service small enough to be judged: texts are numbered in one order, and nodes hold keys, of which the others are told.
///
/// Requests are `say:TEXT`, `hold:KEY`, `drop:KEY` and the query `ask`; facts `said:NUMBER:TEXT`, `held:KEY:NODE` and `dropped:KEY:NODE`.
struct ModelLeader {
    static let holdings: StoreKey = "holdings"

    var count: Int
    /// Who holds which keys, by incarnation.
    var holdings: [UInt64: Set<String>]

    /// Goes on from what is kept.
    init(_ kept: ModelRedis.Kept) {
        count = kept.collections.texts(of: "count")["said"].flatMap { Int($0) } ?? 0
        holdings = [:]
        for field in kept.collections.texts(of: Self.holdings).keys {
            let parts = field.split(separator: ":")
            holdings[UInt64(parts[0]) ?? 0, default: []].insert(String(parts[1]))
        }
    }

    /// The answer to the question how many texts were said: the number and padding, so that answers have different lengths.
    static func answer(_ count: Int) -> String { "\(count):" + String(repeating: "x", count: count % 97) }

    typealias Emission = (fact: String, write: StoreWrite)

    mutating func handle(_ request: String, from node: UInt64) -> [Emission] {
        let parts = request.split(separator: ":", maxSplits: 1).map(String.init)
        switch parts[0] {
        case "say":
            count += 1
            return [("said:\(count):\(parts[1])", .put("count", "said", value: .integer(Int64(count))))]
        case "hold": return hold(parts[1], by: node)
        default: return drop(parts[1], by: node)
        }
    }

    private mutating func hold(_ key: String, by node: UInt64) -> [Emission] {
        guard holdings[node, default: []].insert(key).inserted else { return [] }
        return [("held:\(key):\(node)", .put(Self.holdings, .text("\(node):\(key)"), value: "1"))]
    }

    private mutating func drop(_ key: String, by node: UInt64) -> [Emission] {
        guard holdings[node]?.remove(key) != nil else { return [] }
        return [("dropped:\(key):\(node)", .removeFields(Self.holdings, [.text("\(node):\(key)")]))]
    }

    mutating func announced(_ keys: Set<String>, by node: UInt64) -> [Emission] {
        var emissions: [Emission] = []
        for key in (holdings[node] ?? []).subtracting(keys).sorted() { emissions += drop(key, by: node) }
        for key in keys.sorted() { emissions += hold(key, by: node) }
        return emissions
    }

    mutating func left(_ node: UInt64) -> [Emission] {
        (holdings[node] ?? []).sorted().flatMap { drop($0, by: node) }
    }
}

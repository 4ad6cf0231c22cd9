import PubNub

/// The results of the PubNub part of the demonstration, and whether they are complete, as a value.
struct PubNubDemoRecord: Sendable {
    /// Numbers that were sent and received on one route.
    struct Way: Sendable {
        var sent: [Int] = []
        var received: [Int] = []
        /// Numbers that the client reported as possibly missing.
        var declared: Set<Int> = []

        var duplicated: Int { received.count - Set(received).count }
        var lost: [Int] { sent.filter { !Set(received).contains($0) } }
        var isInOrder: Bool { zip(received, received.dropFirst()).allSatisfy { $0 < $1 } }
        var addsUp: Bool {
            duplicated == 0 && isInOrder && lost.allSatisfy(declared.contains) && Set(received).isSubset(of: sent)
        }
    }

    /// A condition that has to be met.
    struct Check: Sendable {
        var what: String
        var happened: Bool
        var detail: String
    }

    private(set) var ways: [String: Way] = [:]
    private(set) var statuses: [String: [PubNubDemoNews.Status]] = [:]
    private(set) var presence: [String: [String]] = [:]
    private(set) var checks: [Check] = []

    mutating func sent(_ number: Int, to name: String) { ways[name, default: Way()].sent.append(number) }

    mutating func declare(_ numbers: some Sequence<Int>, of name: String) {
        ways[name, default: Way()].declared.formUnion(numbers)
    }

    mutating func hear(_ news: PubNubDemoNews, of name: String) {
        switch news {
        case .status(let status): statuses[name, default: []].append(status)
        case .message(_, let number): ways[name, default: Way()].received.append(number ?? -1)
        case .presence(let action, let user): presence[name, default: []].append("\(user) \(action)")
        }
    }

    mutating func check(_ what: String, _ happened: Bool, _ detail: String = "") {
        checks.append(Check(what: what, happened: happened, detail: detail))
    }

    /// The status categories that a client received, from a position on.
    func categories(of name: String, from position: Int = 0) -> [PNStatusCategory] {
        (statuses[name] ?? []).dropFirst(position).map(\.category)
    }

    func count(of name: String) -> Int { statuses[name]?.count ?? 0 }

    /// Rule CL-14.
    var addsUp: Bool { checks.allSatisfy(\.happened) && ways.values.allSatisfy { $0.sent.isEmpty || $0.addsUp } }
}

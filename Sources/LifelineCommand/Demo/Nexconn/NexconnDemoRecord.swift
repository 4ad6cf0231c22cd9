import NexconnChatSDK

/// The results of the chat part of the demonstration, and whether they are complete, as a value.
struct NexconnDemoRecord: Sendable {
    /// Numbers that were sent and received in one direction.
    struct Way: Sendable {
        var sent: [Int] = []
        var received: [Int] = []

        var duplicated: Int { received.count - Set(received).count }
        var lost: [Int] { sent.filter { !Set(received).contains($0) } }
        var isInOrder: Bool { zip(received, received.dropFirst()).allSatisfy { $0 < $1 } }
    }

    /// A condition that has to be met.
    struct Check: Sendable {
        var what: String
        var happened: Bool
    }

    /// The statuses of ann's connection.
    private(set) var statuses: [NCConnectionStatus] = []
    /// Numbers from ben to ann.
    private(set) var toAnn = Way()
    /// Numbers from ann to ben.
    private(set) var toBen = Way()
    /// How often ann was notified that all missed messages have arrived, and how many of her messages had been missed.
    private(set) var syncs = 0
    private(set) var offline = 0
    /// The codes with which ann's `connect` completed; 0 for success.
    private(set) var completions: [Int] = []
    private(set) var checks: [Check] = []

    mutating func told(_ status: NCConnectionStatus) { statuses.append(status) }
    mutating func synced() { syncs += 1 }
    mutating func completed(_ code: Int) { completions.append(code) }
    mutating func sentToAnn(_ number: Int) { toAnn.sent.append(number) }
    mutating func sentToBen(_ number: Int) { toBen.sent.append(number) }
    mutating func benReceived(_ number: Int) { toBen.received.append(number) }

    mutating func annReceived(_ number: Int, wasOffline: Bool) {
        toAnn.received.append(number)
        if wasOffline { offline += 1 }
    }

    mutating func check(_ what: String, _ happened: Bool) { checks.append(Check(what: what, happened: happened)) }

    /// Rule CL-30.
    var addsUp: Bool {
        checks.allSatisfy(\.happened)
            && [toAnn, toBen].allSatisfy { $0.lost.isEmpty && $0.duplicated == 0 && $0.isInOrder }
    }
}

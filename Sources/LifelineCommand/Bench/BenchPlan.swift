import Lifeline
import TransportCommon

/// The settings of a run of `bench`. Rule CL-110.
struct BenchPlan: Hashable, Sendable {
    var service: ServiceKind
    var subscribers: Int
    var channels: Int
    /// Messages per second, over all channels.
    var rate: Int
    /// The duration in seconds.
    var duration: Int
    /// The size of a message's text in bytes.
    var size: Int
    var run: String
    /// Whether Pusher connections request recovery: the server then replays events that they missed while disconnected.
    var recovers = false

    /// The largest permitted number of messages in a run. It limits memory, because the outcome of each message is stored.
    static let mostMessages = 10_000_000

    func channel(_ index: Int) -> String { "bench-\(run)-\(index)" }

    /// The number of messages of a run in which the server keeps up with the rate.
    var messages: Int { rate * duration }

    /// How many subscribers a channel has. Subscribers are distributed evenly over the channels.
    func subscribers(of channel: Int) -> Int {
        subscribers / channels + (channel < subscribers % channels ? 1 : 0)
    }

    /// Throws for settings that contradict each other.
    func check() throws(CommandFailure) {
        func demand(_ isRight: Bool, _ text: String) throws(CommandFailure) {
            if !isRight { throw CommandFailure(text, .usage) }
        }
        try demand(service != .nexconn, "bench loads servers of Pusher and PubNub; --service chat is not supported.")
        try demand((1...100_000).contains(subscribers), "--subscribers takes 1 to 100000.")
        try demand((1...subscribers).contains(channels), "--channels takes 1 to the number of subscribers.")
        try demand((1...100_000).contains(rate), "--rate takes 1 to 100000 messages a second.")
        try demand((1...3600).contains(duration), "--duration takes 1 to 3600 seconds.")
        try demand(
            (BenchPayload.smallest...32_000).contains(size), "--size takes \(BenchPayload.smallest) to 32000 bytes.")
        try demand(messages <= Self.mostMessages, "--rate times --duration is at most \(Self.mostMessages) messages.")
    }

    /// Throws unless the host may be loaded, because a load on someone else's server by mistake would be an attack. Rule CL-111.
    ///
    /// - Parameters:
    ///   - hasPublicKeys: whether the keys are published in documentation.
    ///   - isConfirmed: whether the user has confirmed that another machine may be loaded.
    static func permit(
        _ host: String, hasPublicKeys: Bool, isConfirmed: Bool
    ) throws(CommandFailure) {
        if Loopback.contains(host) { return }
        let name = host.lowercased()
        let vendors = ["pusher.com", "pusherapp.com", "pndsn.com", "pubnub.com", "pubnubapi.com"]
        if hasPublicKeys, vendors.contains(where: { name == $0 || name.hasSuffix(".\($0)") }) {
            throw CommandFailure(
                "\(host) is a public service, and these keys are published for everybody, so bench does not load it. Use "
                    + "keys of your own.",
                .usage)
        }
        if !isConfirmed {
            throw CommandFailure(
                "The server \(host) runs on another machine. If this server is yours and may be loaded, add --yes.", .usage)
        }
    }
}

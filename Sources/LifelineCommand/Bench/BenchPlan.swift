import Lifeline
import TransportCommon

/// The settings of a run of `bench`. Rule CL-110.
struct BenchPlan: Hashable, Sendable {
    var service: ServiceName
    var subscribers: Int
    var channels: Int
    /// Messages a second, over all channels.
    var rate: Int
    /// Seconds.
    var duration: Int
    /// Bytes of a message's text.
    var size: Int
    var run: String
    /// Whether Pusher's connections ask for recovery.
    var recovers = false

    /// The largest number of messages that are accounted for.
    static let mostMessages = 10_000_000

    func channel(_ index: Int) -> String { "bench-\(run)-\(index)" }

    /// The number of messages when the server keeps up.
    var messages: Int { rate * duration }

    /// How many subscribers a channel has: they are spread evenly.
    func subscribers(of channel: Int) -> Int {
        subscribers / channels + (channel < subscribers % channels ? 1 : 0)
    }

    /// What cannot be.
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

    /// Whether a host may be loaded. A load that reaches somebody else's server by mistake is an attack on it. Rule CL-111.
    ///
    /// - Parameters:
    ///   - hasPublicKeys: whether the keys are those that everybody has.
    ///   - isConfirmed: whether the user wants to load another machine.
    static func permit(
        _ host: String, hasPublicKeys: Bool, isConfirmed: Bool
    ) throws(CommandFailure) {
        if Loopback.contains(host) { return }
        let name = host.lowercased()
        let vendors = ["pusher.com", "pusherapp.com", "pndsn.com", "pubnub.com", "pubnubapi.com"]
        if hasPublicKeys, vendors.contains(where: { name == $0 || name.hasSuffix(".\($0)") }) {
            throw CommandFailure(
                "\(host) is a public service, and these keys are everybody's: bench does not load it. Use keys of your own.",
                .usage)
        }
        if !isConfirmed {
            throw CommandFailure(
                "\(host) is another machine. If the server is yours and may be loaded, add --yes.", .usage)
        }
    }
}

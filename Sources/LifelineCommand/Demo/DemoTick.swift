/// The contents of every event of the demonstration: its sender, and its number among the sender's events on one channel.
struct DemoTick: Hashable, Codable, Sendable {
    var from: String
    var number: Int

    var json: String { #"{"from":"\#(from)","number":\#(number)}"# }
}

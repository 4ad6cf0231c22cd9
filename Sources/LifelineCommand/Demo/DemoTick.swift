/// The contents of every event of the demonstration: its sender, and its number on its route.
struct DemoTick: Hashable, Codable, Sendable {
    var from: String
    var number: Int

    var json: String { #"{"from":"\#(from)","number":\#(number)}"# }
}

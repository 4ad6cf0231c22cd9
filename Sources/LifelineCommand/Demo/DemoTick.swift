import PusherProtocol
import WireCoding

/// The contents of every event of the demonstration: its sender, and its number on its route.
struct DemoTick: Hashable, Sendable {
    var from: String
    var number: Int

    init(from: String, number: Int) {
        self.from = from
        self.number = number
    }

    init?(json: String) {
        guard let object = try? JSONText(json), let from = object["from"]?.string, let number = object["number"]?.integer else {
            return nil
        }
        self.init(from: from, number: number)
    }

    var json: String {
        let value: JSONValue = ["from": .string(from), "number": .number(JSONNumber(number))]
        return value.text
    }
}

import ConnectionEngine
import Foundation
import PubNubProtocol
import PusherProtocol

/// What one message costs between received bytes and a value, in processor time: PubNub's answers of 1, 10 and 100 messages, and
/// Pusher's frames.
@main struct DecodeBenchmark {
    static func main() {
        for count in [1, 10, 100] {
            let body = answer(count)
            var decoder = PubNubAnswerDecoder()
            let head = HTTPAnswerHead(status: 200, contentType: "text/javascript; charset=\"UTF-8\"", retryAfter: nil)
            report("PubNub, \(count) an answer", bytes: body.count / count) {
                guard
                    case .subscribed(_, let messages) = body.withUnsafeBytes({ decoder.decode(head, body: $0, isPoll: true) })
                else { return 0 }
                return messages.count
            }
        }
        let frame = PusherFrames.event(
            name: "new-price", channel: "private-prices", data: #"{"company":"ACME","price":3.25,"text":"a \"quoted\" word"}"#)
        var parser = PusherEnvelopeParser()
        report("Pusher", bytes: frame.count) {
            frame.withUnsafeBytes { (try? parser.parse($0)) == nil ? 0 : 1 }
        }
    }

    /// Reads until there are two million messages.
    static func report(_ name: String, bytes: Int, _ read: () -> Int) {
        var messages = 0
        let start = clock()
        while messages < 2_000_000 {
            let count = read()
            if count == 0 { return print("decode: \(name): failed") }
            messages += count
        }
        let nanoseconds = Double(clock() - start) / Double(CLOCKS_PER_SEC) * 1e9 / Double(messages)
        print("decode: \(name), \(bytes) bytes each: \(Int(nanoseconds)) ns a message")
    }

    static func answer(_ count: Int) -> [UInt8] {
        let elements = (0..<count).map { number in
            PubNubEnvelope(
                channel: "prices.\(number % 4)", publisher: "publisher-\(number % 8)",
                timetoken: Timetoken(rawValue: 15_782_703_013_118_714 + UInt64(number)), subscribeKey: "demo",
                metadata: number % 2 == 0 ? Array(#"{"language":"en","level":3}"#.utf8) : nil,
                payload: Array(#"{"company":"ACME","price":3.25,"text":"a \"quoted\" word","n":\#(number)}"#.utf8))
        }
        let cursor = PubNubCursor(timetoken: Timetoken(rawValue: 15_782_703_013_118_999), region: 1)
        return PubNubFrames.answer(cursor, elements.map { ($0.shared, "prices") })
    }
}

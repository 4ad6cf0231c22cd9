import ConnectionEngine
import Foundation
import PubNubProtocol

/// What one message costs between the bytes of a subscribe answer and a value, in processor time.
///
/// Usage: PubNubDecode [COUNT …], the messages an answer; 1, 10 and 100 without.
@main struct PubNubDecode {
    static func main() {
        let counts = CommandLine.arguments.dropFirst().compactMap { Int($0) }.filter { $0 > 0 }
        for count in counts.isEmpty ? [1, 10, 100] : counts {
            let body = answer(count)
            var decoder = PubNubAnswerDecoder()
            let head = HTTPAnswerHead(status: 200, contentType: "text/javascript; charset=\"UTF-8\"", retryAfter: nil)
            var read = 0
            let start = clock()
            for _ in 0..<(2_000_000 / count) {
                if case .subscribed(_, let messages) = body.withUnsafeBytes({ decoder.decode(head, body: $0, isPoll: true) }) {
                    read += messages.count
                }
            }
            let nanoseconds = Double(clock() - start) / Double(CLOCKS_PER_SEC) * 1e9 / Double(max(read, 1))
            print("decode: \(count) an answer, \(body.count) bytes: \(Int(nanoseconds)) ns a message")
        }
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

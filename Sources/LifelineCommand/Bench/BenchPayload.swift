/// The text of a message of `bench`: the run, the message's number in its channel, the time at which it was due, and padding.
struct BenchPayload: Hashable, Sendable {
    /// Letters and digits that distinguish the messages of this run from other messages in the same channel.
    var run: String
    var number: Int
    /// When the message was due, in nanoseconds on the monotonic clock of this program. The program also receives the message, so it can
    /// compute the latency.
    var due: Int64

    /// The smallest permitted size of a text in bytes. It has room for any run, number and time.
    static let smallest = 64

    /// - Parameter size: the size in bytes; the text is longer if run, number and time need more bytes.
    func text(size: Int) -> String {
        let head = "\(run) \(number) \(due) "
        return head + String(repeating: "x", count: max(0, size - head.utf8.count))
    }

    /// Parses the text of a received message; nil for a text that was not published by the run `run`. A quotation mark in front, as
    /// PubNub's JSON has one, is skipped.
    static func parse(_ text: String, run: String) -> (number: Int, due: Int64)? {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeBufferPointer(rebasing: bytes.first == UInt8(ascii: "\"") ? bytes.dropFirst() : bytes[...])
            let wanted = run.utf8
            guard rest.count > wanted.count, rest.starts(with: wanted), rest[wanted.count] == UInt8(ascii: " ") else {
                return nil
            }
            rest = UnsafeBufferPointer(rebasing: rest.dropFirst(wanted.count + 1))
            guard let (number, first) = integer(rest), first < rest.count else { return nil }
            guard let (due, _) = integer(UnsafeBufferPointer(rebasing: rest.dropFirst(first + 1))) else { return nil }
            return (Int(number), due)
        }
    }

    /// The number that the text begins with, and its number of digits: 1 to 18.
    private static func integer(_ bytes: UnsafeBufferPointer<UInt8>) -> (Int64, Int)? {
        var value: Int64 = 0
        var count = 0
        while count < bytes.count, case let digit = bytes[count] &- 0x30, digit < 10 {
            guard count < 18 else { return nil }
            value = value * 10 + Int64(digit)
            count += 1
        }
        return count > 0 ? (value, count) : nil
    }
}

import NIOCore
import PubNubProtocol
import ServerRuntime
import WireCoding

/// A complete HTTP answer to a subscribe request, encoded once for all polls with the same answer.
struct PollAnswer: Sendable {
    /// The head and body of the answer, in the form that most clients get.
    private let bytes: ByteBuffer
    private let bodyLength: Int
    /// The number of messages in the answer.
    let count: Int
    let cursor: UInt64

    /// The size limit of an answer in bytes. Messages beyond it are sent in the next answer.
    static let maximumBytes = 1 << 20

    init(_ page: StreamPage<PubNubElement>, _ sources: PollSources?, region: Int, form: SubscribeTarget.Form = .second) {
        if form == .first {
            self.init(first: page, sources)
            return
        }
        var body: [UInt8] = []
        var count = 0
        var cursor = page.cursor
        for delivery in page.deliveries {
            if count > 0 { body.append(UInt8(ascii: ",")) }
            body.append(contentsOf: delivery.entry.attachment.shared)
            if let sources { body.append(contentsOf: sources.end(of: delivery)) }
            count += 1
            if body.count >= Self.maximumBytes, count < page.deliveries.count {
                cursor = delivery.entry.message.timetoken
                break
            }
        }
        let start = PubNubFrames.answerStart(
            PubNubCursor(
                timetoken: Timetoken(rawValue: cursor), region: region, followsGap: page.hasDropped, isComplete: page.isComplete))
        self.init([start, body, PubNubFrames.answerEnd], count: count, cursor: cursor)
    }

    /// - Parameter parts: the body in parts, which are joined.
    private init(_ parts: [[UInt8]], count: Int, cursor: UInt64) {
        bodyLength = parts.reduce(0) { $0 + $1.count }
        self.count = count
        self.cursor = cursor
        var bytes = ByteBuffer()
        bytes.reserveCapacity(bodyLength + 320)
        Self.writeHead(to: &bytes, bodyLength: bodyLength, isLast: false, .everyone, .other)
        for part in parts { bytes.writeBytes(part) }
        self.bytes = bytes
    }

    /// The answer in version 1 of the protocol (rule PV-139): `[[…],"15…"]` with the payloads and the cursor. If there are several
    /// subscriptions, the answer continues with lists of the subscription and the channel of each message.
    private init(first page: StreamPage<PubNubElement>, _ sources: PollSources?) {
        var payloads: [UInt8] = []
        var count = 0
        var cursor = page.cursor
        for delivery in page.deliveries {
            if count > 0 { payloads.append(UInt8(ascii: ",")) }
            payloads += delivery.entry.message.payload
            count += 1
            if payloads.count >= Self.maximumBytes, count < page.deliveries.count {
                cursor = delivery.entry.message.timetoken
                break
            }
        }
        var end = Array("],\"\(cursor)\"".utf8)
        for list in count > 0 ? sources?.origins(of: page.deliveries.prefix(count)) ?? [] : [] {
            end.append(UInt8(ascii: ","))
            JSONWriter.appendString(list.joined(separator: ","), to: &end)
        }
        end.append(UInt8(ascii: "]"))
        self.init([Array("[[".utf8), payloads, end], count: count, cursor: cursor)
    }

    /// The answer for one client. All clients share the same bytes, unless the connection closes after the answer, or the CORS header
    /// fields depend on the client's web page.
    func bytes(isLast: Bool, _ crossOrigin: CrossOrigin, _ page: CrossOrigin.Page) -> ByteBuffer {
        guard isLast || !crossOrigin.isForAll else { return bytes }
        var copy = ByteBuffer()
        copy.reserveCapacity(bodyLength + 320)
        Self.writeHead(to: &copy, bodyLength: bodyLength, isLast: isLast, crossOrigin, page)
        copy.writeBytes(bytes.readableBytesView.suffix(bodyLength))
        return copy
    }

    private static func writeHead(
        to buffer: inout ByteBuffer, bodyLength: Int, isLast: Bool, _ crossOrigin: CrossOrigin, _ page: CrossOrigin.Page
    ) {
        buffer.writeStaticString("HTTP/1.1 200 OK\r\ncontent-type: text/javascript; charset=\"UTF-8\"\r\ncontent-length: ")
        var digits: [UInt8] = []
        JSONWriter.append(bodyLength, to: &digits)
        buffer.writeBytes(digits)
        buffer.writeStaticString("\r\n")
        crossOrigin.write(for: page, isRecorded: true, to: &buffer)
        buffer.writeStaticString(isLast ? "connection: close\r\n\r\n" : "connection: keep-alive\r\n\r\n")
    }
}

/// The latest answer that was made in this turn of the event loop for one list of subscriptions, and the range of cursors for which this
/// answer is valid.
struct PollMemo {
    /// The oldest cursor for which the answer is valid. Polls with a cursor from this one up to the answer's first message share the
    /// answer.
    var from: UInt64
    var first: UInt64
    var answer: PollAnswer
}

import Foundation
import PubNubProtocol
import WireCoding

/// A value whose ownership moves to another thread. `@unchecked Sendable`: only the new owner uses the value afterwards.
struct HandedOver<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

/// The source of the bytes of a file to send.
enum FileSource: Sendable {
    case file(URL)
    case data(Data)
    case stream(HandedOver<InputStream>, UInt)

    /// The largest file that can be sent, in bytes. The service accepts 5 MiB unless the keyset has another limit.
    static let maximumSize = PubNubLimits.answerBytes

    /// Reads the whole file into memory. May block the calling thread.
    func read() throws(PubNubProblem) -> [UInt8] {
        let bytes: [UInt8]
        switch self {
        case .data(let data):
            bytes = Array(data.prefix(Self.maximumSize + 1))
        case .file(let url):
            do {
                let handle = try FileHandle(forReadingFrom: url)
                // The file was only read, so no data is lost when closing fails.
                defer { try? handle.close() }
                // `read` returns nil at the end of the file, so nil means that the file is empty.
                bytes = Array(try handle.read(upToCount: Self.maximumSize + 1) ?? Data())
            } catch {
                throw Self.unreadable
            }
        case .stream(let stream, let size):
            bytes = try Self.read(stream.value, Int(clamping: size))
        }
        guard bytes.count <= Self.maximumSize else {
            throw .badArguments("The file is longer than \(Self.maximumSize) bytes. Send a shorter file.")
        }
        return bytes
    }

    private static func read(_ stream: InputStream, _ size: Int) throws(PubNubProblem) -> [UInt8] {
        guard size <= maximumSize else {
            throw .badArguments("The file is longer than \(maximumSize) bytes. Send a shorter file.")
        }
        stream.open()
        defer { stream.close() }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < size {
            let count = stream.read(&piece, maxLength: min(piece.count, size - bytes.count))
            guard count > 0 else { throw unreadable }
            bytes += piece.prefix(count)
        }
        return bytes
    }

    private static let unreadable = PubNubProblem.badArguments(
        "The file cannot be read. Check that it exists and is readable, or that its stream delivers the announced number of bytes."
    )
}

/// The arguments of a call that sends a file, with the message about it.
struct SendFileDraft {
    var channel: String
    var name: String
    var source: FileSource?
    var cipherKey: String?
    var message: PublishDraft
    var query: [AnyHashable: Any]?

    /// Encodes and checks the arguments, and returns a job that another thread may use.
    func job(_ cipher: PubNubCipher?) throws(PubNubProblem) -> SendFileJob {
        guard let source else { throw .badArguments("There is no file to send. Pass a URL, data or a stream.") }
        var content: JSONText?
        if let value = message.message { content = try JSONArguments.value(value, "message") }
        var metadata: JSONText?
        if let value = message.metadata { metadata = try JSONArguments.object(value, "metadata") }
        let own = cipherKey.map { PubNubCipher(key: $0) }
        return SendFileJob(
            channel: channel, name: name, source: source, fileCipher: own ?? cipher, messageCipher: own ?? cipher,
            message: content,
            call: PubNubPublishFileCall(
                channel: channel, message: JSONText(checked: "null"), metadata: metadata,
                isStored: message.isStored ? nil : false, ttl: message.ttl > 0 ? Int(clamping: message.ttl) : nil),
            query: QueryArguments.parameters(query))
    }
}

/// The checked arguments of a call that sends a file, as a value that any thread may use.
struct SendFileJob: Sendable {
    var channel: String
    var name: String
    var source: FileSource
    /// The cipher that encrypts the file, always with a random initialisation vector.
    var fileCipher: PubNubCipher?
    var messageCipher: PubNubCipher?
    var message: JSONText?
    var call: PubNubPublishFileCall
    var query: [PubNubRequest.Parameter]

    /// Makes the request that publishes the message about an uploaded file.
    func published(_ file: PubNubFileName) throws(PubNubProblem) -> PubNubPublishFileCall {
        var call = call
        call.message = file.message(message)
        if let messageCipher { call.message = try call.message.encrypted(with: messageCipher) }
        return call
    }

    /// Returns the bytes to upload, encrypted when there is a cipher.
    func content() throws(PubNubProblem) -> [UInt8] {
        let bytes = try source.read()
        guard let fileCipher else { return bytes }
        var generator = SystemRandomNumberGenerator()
        var (stream, prefix) = PubNubCipherStream.encrypting(with: fileCipher, using: &generator)
        do {
            return prefix + (try stream.update(bytes)) + (try stream.finish())
        } catch {
            throw .badArguments("The file could not be encrypted. \(error)")
        }
    }
}

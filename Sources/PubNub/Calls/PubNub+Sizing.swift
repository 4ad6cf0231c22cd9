import EngineRuntime
import Foundation
import PubNubProtocol

// Methods that calculate the size of a publish request without sending it.
extension PubNub {
    /// Calculates how many bytes the request to publish a message has: request line, headers and body, without headers that HTTP
    /// libraries add.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - channel: the channel's name.
    ///   - block: called on the callback queue.
    public func sizeOfMessage(
        _ message: Any, toChannel channel: String, withCompletion block: @escaping PNMessageSizeCalculationCompletionBlock
    ) {
        size(PublishDraft(channel: channel, message: message), block)
    }

    /// Calculates the size of a publish request with metadata.
    public func sizeOfMessage(
        _ message: Any, toChannel channel: String, withMetadata metadata: [String: Any]?,
        completion block: @escaping PNMessageSizeCalculationCompletionBlock
    ) {
        size(PublishDraft(channel: channel, message: message, metadata: metadata), block)
    }

    /// Calculates the size of a publish request, optionally compressed.
    public func sizeOfMessage(
        _ message: Any, toChannel channel: String, compressed compressMessage: Bool,
        withCompletion block: @escaping PNMessageSizeCalculationCompletionBlock
    ) {
        size(PublishDraft(channel: channel, message: message, isCompressed: compressMessage), block)
    }

    /// Calculates the size of a publish request with metadata, optionally compressed.
    public func sizeOfMessage(
        _ message: Any, toChannel channel: String, compressed compressMessage: Bool, withMetadata metadata: [String: Any]?,
        completion block: @escaping PNMessageSizeCalculationCompletionBlock
    ) {
        size(PublishDraft(channel: channel, message: message, metadata: metadata, isCompressed: compressMessage), block)
    }

    /// Calculates the size of a publish request for a message that is optionally kept in the history.
    public func sizeOfMessage(
        _ message: Any, toChannel channel: String, storeInHistory shouldStore: Bool,
        withCompletion block: @escaping PNMessageSizeCalculationCompletionBlock
    ) {
        size(PublishDraft(channel: channel, message: message, isStored: shouldStore), block)
    }

    /// Calculates the size of a publish request with metadata for a message that is optionally kept in the history.
    public func sizeOfMessage(
        _ message: Any, toChannel channel: String, storeInHistory shouldStore: Bool, withMetadata metadata: [String: Any]?,
        completion block: @escaping PNMessageSizeCalculationCompletionBlock
    ) {
        size(PublishDraft(channel: channel, message: message, metadata: metadata, isStored: shouldStore), block)
    }

    /// Calculates the size of a publish request, optionally compressed, for a message that is optionally kept in the history.
    public func sizeOfMessage(
        _ message: Any, toChannel channel: String, compressed compressMessage: Bool, storeInHistory shouldStore: Bool,
        withCompletion block: @escaping PNMessageSizeCalculationCompletionBlock
    ) {
        size(PublishDraft(channel: channel, message: message, isStored: shouldStore, isCompressed: compressMessage), block)
    }

    /// Calculates the size of a publish request with metadata, optionally compressed, for a message that is optionally kept in the
    /// history.
    public func sizeOfMessage(
        _ message: Any, toChannel channel: String, compressed compressMessage: Bool, storeInHistory shouldStore: Bool,
        withMetadata metadata: [String: Any]?, completion block: @escaping PNMessageSizeCalculationCompletionBlock
    ) {
        size(
            PublishDraft(
                channel: channel, message: message, metadata: metadata, isStored: shouldStore, isCompressed: compressMessage),
            block)
    }

    func size(_ draft: PublishDraft, _ block: @escaping PNMessageSizeCalculationCompletionBlock) {
        let size = size(of: draft)
        let block = CallerBlock(block)
        line.run { block(size) }
    }

    private func size(of draft: PublishDraft) -> Int {
        let values = configuration
        do throws(PubNubProblem) {
            // The sequence number 1 has as many digits as the numbers of a client's first nine messages. A constant, so that the estimate
            // consumes no sequence number.
            let call = try draft.call(cipher, sequence: 1)
            let request = try source.assemble(
                call, values: values, extra: draft.extras.parameters, compresses: draft.isCompressed)
            return request.size
        } catch {
            return -1
        }
    }
}

extension CallRequest {
    /// The length of the request in HTTP/1.1, in bytes: request line, headers and body.
    var size: Int {
        var size = method.utf8.count + target.utf8.count + "  HTTP/1.1\r\n".utf8.count
        size += "Host: \(endpoint.host)\r\n".utf8.count
        for header in headers { size += header.name.utf8.count + header.value.utf8.count + ": \r\n".utf8.count }
        if !body.isEmpty { size += "Content-Length: \(body.count)\r\n".utf8.count }
        return size + "\r\n".utf8.count + body.count
    }
}

import Foundation
import PubNubProtocol
import WireCoding

/// A file that was sent. An addition to the Cocoa SDK.
public struct PNSentFile: Hashable, Sendable {
    /// The file's id, which the service assigned at the upload.
    public let identifier: String
    /// The file's name in the service's storage.
    public let name: String
    /// When the message about the file was published, in units of 100 ns since 1970.
    public let timetoken: UInt64
}

/// One page of the files of a channel. An addition to the Cocoa SDK.
public struct PNFilePage: Sendable {
    /// The page's files.
    public let files: [PNFile]
    /// The cursor of the next page, for `next` of the next request; nil on the last page.
    public let next: String?
}

/// A file that the service has stored, even if subscribers were not notified. An addition to the Cocoa SDK.
public struct PNUploadedFile: Hashable, Sendable {
    /// The file's id, which the service assigned at the upload.
    public let identifier: String
    /// The file's name in the service's storage.
    public let name: String
}

// Async functions for files, an addition to the Cocoa SDK. They do not use the callback queue, and cancelling the task ends the request in
// progress (rules PL-95 and PL-97).
extension PubNub {
    /// Uploads bytes as a file and notifies subscribers. The file is encrypted when there is a cipher key.
    ///
    /// The client tries up to ``PNConfiguration/fileMessagePublishRetryLimit`` times, once per second, to publish the message to
    /// subscribers.
    ///
    /// - Parameters:
    ///   - content: the bytes of the file.
    ///   - name: the name of the file.
    ///   - channel: the channel of the file.
    ///   - message: the message about the file; nil for none.
    ///   - options: the options of the message about the file, which is never compressed.
    ///   - cipherKey: the key that encrypts the file and the message; nil for the client's cipher key.
    /// - Throws: an error with ``PNCallError/uploadedFile`` when the file was uploaded and the message to subscribers failed.
    @discardableResult
    public func sendFile(
        _ content: Data, name: String, to channel: String, message: (any Encodable & Sendable)? = nil,
        options: PNPublishOptions = PNPublishOptions(), cipherKey: String? = nil
    ) async throws(PNCallError) -> PNSentFile {
        try await sendFile(.data(content), name: name, to: channel, message: message, options: options, cipherKey: cipherKey)
    }

    /// Uploads a file of this machine and notifies subscribers, see ``sendFile(_:name:to:message:options:cipherKey:)``.
    ///
    /// - Parameters:
    ///   - file: the location of the file on this machine.
    ///   - name: the file's name for receivers; nil for the name of the file on this machine.
    ///   - channel: the channel of the file.
    ///   - message: the message that is published with the file; nil for none.
    ///   - options: the options of the message about the file.
    ///   - cipherKey: the key that encrypts the file and the message; nil for the client's cipher key.
    /// - Throws: ``PNCallError`` with the status of the failed call; also when the task is cancelled.
    @discardableResult
    public func sendFile(
        at file: URL, name: String? = nil, to channel: String, message: (any Encodable & Sendable)? = nil,
        options: PNPublishOptions = PNPublishOptions(), cipherKey: String? = nil
    ) async throws(PNCallError) -> PNSentFile {
        try await sendFile(
            .file(file), name: name ?? file.lastPathComponent, to: channel, message: message, options: options,
            cipherKey: cipherKey)
    }

    /// Notifies subscribers of a file that has already been uploaded.
    ///
    /// - Parameters:
    ///   - identifier: the service's id of the file.
    ///   - name: the name of the file.
    ///   - channel: the channel of the file.
    ///   - message: the message that is published with the file; nil for none.
    ///   - options: how the message about the file is published.
    /// - Returns: the timetoken of the message.
    /// - Throws: ``PNCallError`` with the status of the failed call; also when the task is cancelled.
    @discardableResult
    public func publishFileMessage(
        _ identifier: String, name: String, to channel: String, message: (any Encodable & Sendable)? = nil,
        options: PNPublishOptions = PNPublishOptions()
    ) async throws(PNCallError) -> UInt64 {
        guard !identifier.isEmpty, !name.isEmpty else {
            throw PNCallError(
                .badArguments("The file's id or name is empty. Pass the id and the name that the upload of the file returned."))
        }
        let job = try fileJob(.data(Data()), name: name, to: channel, message: message, options: options, cipherKey: nil)
        let call: PubNubPublishFileCall
        do throws(PubNubProblem) {
            call = try job.published(PubNubFileName(channel: channel, id: identifier, name: name))
        } catch {
            throw PNCallError(error)
        }
        return try await answer(to: call, publishes: true).timetoken.rawValue
    }

    /// Fetches the files of a channel, page by page.
    ///
    /// - Parameters:
    ///   - channel: the channel's name.
    ///   - limit: the maximum number of files, 1 to 100.
    ///   - next: ``PNFilePage/next`` of another page; nil for the first one.
    /// - Throws: ``PNCallError`` with the status of the failed call; also when the task is cancelled.
    public func files(
        of channel: String, limit: Int = 100, next: String? = nil
    ) async throws(PNCallError) -> PNFilePage {
        let values = configuration
        let listed = try await answer(to: PubNubListFilesCall(channel: channel, limit: limit, next: next))
        let data = PNListFilesData(listed) { values.fileURL(id: $0.id, name: $0.name, channel: $0.channel) }
        return PNFilePage(files: data.files ?? [], next: data.next)
    }

    /// Downloads the content of a file, at most 16 MiB, and decrypts it when there is a cipher key.
    ///
    /// - Parameters:
    ///   - identifier: the service's id of the file.
    ///   - name: the name of the file.
    ///   - channel: the channel of the file.
    ///   - cipherKey: the key that decrypts the file; nil for the client's cipher key.
    /// - Throws: ``PNCallError`` with the status of the failed call; also when the task is cancelled.
    public func fileContent(
        _ identifier: String, name: String, of channel: String, cipherKey: String? = nil
    ) async throws(PNCallError) -> Data {
        let file = PubNubFileName(channel: channel, id: identifier, name: name)
        do throws(PubNubProblem) {
            return Data(try await source.content(of: file, cipher: cipherKey.map { PubNubCipher(key: $0) } ?? cipher))
        } catch {
            throw PNCallError(error)
        }
    }

    /// Deletes a file from the service's storage.
    ///
    /// - Throws: ``PNCallError`` with the status of the failed call; also when the task is cancelled.
    public func deleteFile(_ identifier: String, name: String, of channel: String) async throws(PNCallError) {
        try await answer(to: PubNubDeleteFileCall(file: PubNubFileName(channel: channel, id: identifier, name: name)))
    }

    private func sendFile(
        _ source: FileSource, name: String, to channel: String, message: (any Encodable & Sendable)?,
        options: PNPublishOptions, cipherKey: String?
    ) async throws(PNCallError) -> PNSentFile {
        let sent = await self.source.send(
            try fileJob(source, name: name, to: channel, message: message, options: options, cipherKey: cipherKey))
        switch (sent.file, sent.timetoken, sent.problem) {
        case (let file?, let timetoken?, _):
            return PNSentFile(identifier: file.id, name: file.name, timetoken: timetoken.rawValue)
        case (let file?, nil, let problem?):
            throw PNCallError(problem, uploaded: PNUploadedFile(identifier: file.id, name: file.name))
        case (_, _, let problem):
            throw PNCallError(problem ?? .malformed("The service's answer contains no id or no timetoken for the sent file."))
        }
    }

    private func fileJob(
        _ source: FileSource, name: String, to channel: String, message: (any Encodable & Sendable)?,
        options: PNPublishOptions, cipherKey: String?
    ) throws(PNCallError) -> SendFileJob {
        var metadata: JSONText?
        if let value = options.metadata { metadata = try json(value) }
        var text: JSONText?
        if let message { text = try json(message) }
        let cipher = cipherKey.map { PubNubCipher(key: $0) } ?? cipher
        return SendFileJob(
            channel: channel, name: name, source: source, fileCipher: cipher, messageCipher: cipher, message: text,
            call: PubNubPublishFileCall(
                channel: channel, message: JSONText(checked: "null"), metadata: metadata, isStored: options.isStored,
                ttl: options.hoursToLive, isReplicated: options.isReplicated, customType: options.customMessageType),
            query: [])
    }
}

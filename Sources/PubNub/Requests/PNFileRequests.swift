import Foundation

/// Describes a file to send.
public final class PNSendFileRequest: PNRequest {
    /// Further parameters of the requests.
    public var arbitraryQueryParameters: [AnyHashable: Any]?
    /// Metadata of the message about the file, which subscribers' filters can use.
    public var fileMessageMetadata: [AnyHashable: Any]?
    /// The key with which the file is encrypted; nil for the client's cipher key.
    public var cipherKey: String?
    /// How many hours the message about the file is kept; 0, the default, for the keyset's setting.
    public var fileMessageTTL: UInt = 0
    /// The channel to publish to.
    public let channel: String
    /// Whether the message about the file is kept in the history; true by default.
    public var fileMessageStore = true
    /// The message about the file.
    public var message: Any?
    /// The file's name for receivers.
    public var filename: String
    let source: FileSource

    /// A file on this machine.
    public init(channel: String, fileURL url: URL) {
        self.channel = channel
        filename = url.lastPathComponent
        source = .file(url)
        super.init()
    }

    /// A file in memory.
    public init(channel: String, fileName name: String, data: Data) {
        self.channel = channel
        filename = name
        source = .data(data)
        super.init()
    }

    /// A file that a stream delivers. The stream belongs to the client from then on.
    ///
    /// - Parameters:
    ///   - channel: the channel's name.
    ///   - name: the file's name.
    ///   - stream: the file's content.
    ///   - size: the number of bytes that the stream delivers.
    public init(channel: String, fileName name: String, stream: InputStream, size: UInt) {
        self.channel = channel
        filename = name
        source = .stream(HandedOver(stream), size)
        super.init()
    }

    var draft: SendFileDraft {
        SendFileDraft(
            channel: channel, name: filename, source: source, cipherKey: cipherKey,
            message: PublishDraft(
                channel: channel, message: message, metadata: fileMessageMetadata, isStored: fileMessageStore,
                ttl: fileMessageTTL),
            query: arbitraryQueryParameters)
    }
}

/// Describes which files of a channel to list.
public final class PNListFilesRequest: PNRequest {
    /// Further parameters of the request.
    public var arbitraryQueryParameters: [AnyHashable: Any]?
    /// The channel's name.
    public let channel: String
    /// The start of the page: the `next` of the previous answer.
    public var next: String?
    /// The maximum number of files, up to 100, which is the default.
    public var limit: UInt = 100

    /// Lists the files of a channel.
    public init(channel: String) {
        self.channel = channel
        super.init()
    }
}

/// Describes a file to download.
public final class PNDownloadFileRequest: PNRequest {
    /// Further parameters of the request.
    public var arbitraryQueryParameters: [AnyHashable: Any]?
    /// The key with which the file is decrypted; nil for the client's cipher key.
    public var cipherKey: String?
    /// Where to store the file; nil for a new file in the directory for temporary files.
    public var targetURL: URL?
    let channel: String
    let identifier: String
    let name: String

    /// Downloads a file of a channel.
    public init(channel: String, identifier: String, name: String) {
        self.channel = channel
        self.identifier = identifier
        self.name = name
        super.init()
    }
}

/// Describes a file to delete.
public final class PNDeleteFileRequest: PNRequest {
    /// Further parameters of the request.
    public var arbitraryQueryParameters: [AnyHashable: Any]?
    let channel: String
    let identifier: String
    let name: String

    /// Deletes a file of a channel.
    public init(channel: String, identifier: String, name: String) {
        self.channel = channel
        self.identifier = identifier
        self.name = name
        super.init()
    }
}

/// Describes a message about a file that has already been uploaded.
public final class PNPublishFileMessageRequest: PNBasePublishRequest {
    /// The service's id of the file.
    public let identifier: String
    /// The file's name.
    public let filename: String

    /// Publishes a message about a file of a channel.
    public init(channel: String, fileIdentifier identifier: String, name filename: String) {
        self.identifier = identifier
        self.filename = filename
        super.init(baseChannel: channel)
    }

    var draft: PublishDraft {
        PublishDraft(
            channel: channel, message: message, metadata: metadata, isStored: shouldStore, ttl: ttl,
            customType: customMessageType, query: arbitraryQueryParameters)
    }
}

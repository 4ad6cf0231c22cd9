import Foundation

/// A request that uploads a file and notifies subscribers.
public final class PNSendFileRequest: PNRequest {
    /// Additional query parameters of the requests to the service, by name.
    public var arbitraryQueryParameters: [AnyHashable: Any]?
    /// Metadata of the message about the file. Subscribers' filter expressions can test it. It is never encrypted.
    public var fileMessageMetadata: [AnyHashable: Any]?
    /// The key that encrypts the file and the message about it; nil for the client's cipher key.
    public var cipherKey: String?
    /// How many hours the history keeps the message about the file; 0, the default, for the keyset's setting.
    public var fileMessageTTL: UInt = 0
    /// The name of the channel to publish to.
    public let channel: String
    /// Whether the service stores the message about the file in the channel's history; true by default.
    public var fileMessageStore = true
    /// The message to publish together with the file's id and name; nil for none.
    public var message: Any?
    /// The file's name for receivers, who use it to download the file.
    public var filename: String
    let source: FileSource

    /// A request that sends a file of this machine.
    public init(channel: String, fileURL url: URL) {
        self.channel = channel
        filename = url.lastPathComponent
        source = .file(url)
        super.init()
    }

    /// A request that sends bytes in memory as a file.
    public init(channel: String, fileName name: String, data: Data) {
        self.channel = channel
        filename = name
        source = .data(data)
        super.init()
    }

    /// A request that sends the bytes of a stream as a file. Only the client may use the stream afterwards.
    ///
    /// - Parameters:
    ///   - channel: the channel's name.
    ///   - name: the file's name for receivers.
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

/// A request for the files of a channel.
public final class PNListFilesRequest: PNRequest {
    /// Additional query parameters of the request, by name.
    public var arbitraryQueryParameters: [AnyHashable: Any]?
    /// The channel's name.
    public let channel: String
    /// The cursor at which the page starts: the value of `next` in the previous answer; nil for the first page.
    public var next: String?
    /// The maximum number of files, up to 100, which is the default.
    public var limit: UInt = 100

    /// A request for the files of `channel`, by default for the first page.
    public init(channel: String) {
        self.channel = channel
        super.init()
    }
}

/// A request that downloads a file.
public final class PNDownloadFileRequest: PNRequest {
    /// Additional query parameters of the request, by name.
    public var arbitraryQueryParameters: [AnyHashable: Any]?
    /// The key that decrypts the file; nil for the client's cipher key.
    public var cipherKey: String?
    /// The location at which the file is stored; nil for a new file in the directory for temporary files.
    public var targetURL: URL?
    let channel: String
    let identifier: String
    let name: String

    /// A request that downloads the file with this channel, id and name.
    public init(channel: String, identifier: String, name: String) {
        self.channel = channel
        self.identifier = identifier
        self.name = name
        super.init()
    }
}

/// A request that deletes a file from the service's storage.
public final class PNDeleteFileRequest: PNRequest {
    /// Additional query parameters of the request, by name.
    public var arbitraryQueryParameters: [AnyHashable: Any]?
    let channel: String
    let identifier: String
    let name: String

    /// A request that deletes the file with this channel, id and name.
    public init(channel: String, identifier: String, name: String) {
        self.channel = channel
        self.identifier = identifier
        self.name = name
        super.init()
    }
}

/// A request that publishes a message about a file that has already been uploaded.
public final class PNPublishFileMessageRequest: PNBasePublishRequest {
    /// The file's id, which the service assigned at the upload.
    public let identifier: String
    /// The file's name.
    public let filename: String

    /// A request that publishes a message about the file with this channel, id and name.
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

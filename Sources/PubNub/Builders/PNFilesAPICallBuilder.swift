import EngineRuntime
import Foundation
import PubNubProtocol

/// Makes the builders of requests that send, list, find, download and delete files.
public final class PNFilesAPICallBuilder: PNAPICallBuilder {
    /// Sends a file. The arguments are the channel and the file's name for receivers.
    public var sendFile: (String, String) -> PNSendFileAPICallBuilder {
        { PNSendFileAPICallBuilder(self.client, channel: $0, name: $1) }
    }
    /// Lists the files of a channel. The argument is the channel's name.
    public var listFiles: (String) -> PNListFilesAPICallBuilder { { PNListFilesAPICallBuilder(self.client, channel: $0) } }
    /// Returns the download URL of a file. The arguments are the file's channel, id and name.
    public var fileURL: (String, String, String) -> PNFileDownloadURLAPICallBuilder {
        { PNFileDownloadURLAPICallBuilder(self.client, PubNubFileName(channel: $0, id: $1, name: $2)) }
    }
    /// Downloads a file. The arguments are the file's channel, id and name.
    public var downloadFile: (String, String, String) -> PNDownloadFileAPICallBuilder {
        { PNDownloadFileAPICallBuilder(self.client, PubNubFileName(channel: $0, id: $1, name: $2)) }
    }
    /// Deletes a file. The arguments are the file's channel, id and name.
    public var deleteFile: (String, String, String) -> PNDeleteFileAPICallBuilder {
        { PNDeleteFileAPICallBuilder(self.client, PubNubFileName(channel: $0, id: $1, name: $2)) }
    }
}

/// Sends a file.
public final class PNSendFileAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft: SendFileDraft

    init(_ client: PubNub, channel: String, name: String) {
        draft = SendFileDraft(channel: channel, name: name, message: PublishDraft(channel: channel))
        super.init(client)
    }

    /// A stream with the file's content, and the number of bytes that it delivers. Only the client may use the stream afterwards.
    public var stream: (InputStream, UInt) -> PNSendFileAPICallBuilder {
        { stream, size in
            self.draft.source = .stream(HandedOver(stream), size)
            return self
        }
    }
    /// The file's bytes.
    public var data: (Data) -> PNSendFileAPICallBuilder { argument { $0.draft.source = .data($1) } }
    /// The location of the file to send, a file URL of this machine.
    public var url: (URL) -> PNSendFileAPICallBuilder { argument { $0.draft.source = .file($1) } }
    /// The message to publish together with the file's id and name.
    public var message: (Any) -> PNSendFileAPICallBuilder { argument { $0.draft.message.message = $1 } }
    /// Metadata of the message about the file. Subscribers' filter expressions can test it. It is never encrypted.
    public var fileMessageMetadata: ([AnyHashable: Any]) -> PNSendFileAPICallBuilder {
        argument { $0.draft.message.metadata = $1 }
    }
    /// How many hours the history keeps the message about the file; by default the keyset's setting.
    public var fileMessageTTL: (UInt) -> PNSendFileAPICallBuilder { argument { $0.draft.message.ttl = $1 } }
    /// Whether the service stores the message about the file in the channel's history; true by default.
    public var fileMessageStore: (Bool) -> PNSendFileAPICallBuilder { argument { $0.draft.message.isStored = $1 } }
    /// The key that encrypts the file and the message about it; by default the client's cipher key.
    public var cipherKey: (String) -> PNSendFileAPICallBuilder { argument { $0.draft.cipherKey = $1 } }
    /// Additional query parameters of the requests to the service, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNSendFileAPICallBuilder { argument { $0.draft.query = $1 } }

    /// Uploads the file and publishes the message about it. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (@escaping PNSendFileCompletionBlock) -> Void {
        { self.client.sendFile(self.draft, $0) }
    }
}

/// Builds a request for the files of a channel.
public final class PNListFilesAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private let channel: String
    private var count: UInt = 100
    private var position: String?

    init(_ client: PubNub, channel: String) {
        self.channel = channel
        super.init(client)
    }

    /// The maximum number of results in one answer, up to 100, which is the default.
    public var limit: (UInt) -> PNListFilesAPICallBuilder { argument { $0.count = $1 } }
    /// The cursor at which the page starts: the value of `next` in the previous answer.
    public var next: (String) -> PNListFilesAPICallBuilder { argument { $0.position = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNListFilesAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (@escaping PNListFilesCompletionBlock) -> Void {
        { self.client.listFiles(self.channel, limit: self.count, next: self.position, query: self.query, $0) }
    }
}

/// Makes the download URL of a file, without sending a request.
public final class PNFileDownloadURLAPICallBuilder: PNAPICallBuilder {
    private let file: PubNubFileName

    init(_ client: PubNub, _ file: PubNubFileName) {
        self.file = file
        super.init(client)
    }

    /// Passes the URL to the block, on the callback queue.
    public var performWithCompletion: (@escaping PNFileDownloadURLCompletionBlock) -> Void {
        { block in
            let url = self.client.downloadURLForFile(
                withName: self.file.name, identifier: self.file.id, inChannel: self.file.channel)
            let sink = CallerBlock(block)
            self.client.line.run { sink(url) }
        }
    }
}

/// Downloads a file.
public final class PNDownloadFileAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private let file: PubNubFileName
    private var target: URL?
    private var key: String?

    init(_ client: PubNub, _ file: PubNubFileName) {
        self.file = file
        super.init(client)
    }

    /// The key that decrypts the file; by default the client's cipher key.
    public var cipherKey: (String) -> PNDownloadFileAPICallBuilder { argument { $0.key = $1 } }
    /// The location at which the file is stored; by default a new file in the directory for temporary files.
    public var url: (URL) -> PNDownloadFileAPICallBuilder { argument { $0.target = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNDownloadFileAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (@escaping PNDownloadFileCompletionBlock) -> Void {
        { self.client.downloadFile(self.file, to: self.target, cipherKey: self.key, query: self.query, $0) }
    }
}

/// Deletes a file.
public final class PNDeleteFileAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private let file: PubNubFileName

    init(_ client: PubNub, _ file: PubNubFileName) {
        self.file = file
        super.init(client)
    }

    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNDeleteFileAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (@escaping PNDeleteFileCompletionBlock) -> Void {
        { self.client.deleteFile(self.file, query: self.query, $0) }
    }
}

/// Builds a request that notifies subscribers of a file that has already been uploaded.
public final class PNPublishFileMessageAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = PublishDraft()
    private var identifier = ""
    private var name = ""

    /// The file's id, which the service assigned at the upload.
    public var fileIdentifier: (String) -> PNPublishFileMessageAPICallBuilder { argument { $0.identifier = $1 } }
    /// The file's name.
    public var fileName: (String) -> PNPublishFileMessageAPICallBuilder { argument { $0.name = $1 } }
    /// The name of the channel to publish to.
    public var channel: (String) -> PNPublishFileMessageAPICallBuilder { argument { $0.draft.channel = $1 } }
    /// The message to publish together with the file's id and name.
    public var message: (Any) -> PNPublishFileMessageAPICallBuilder { argument { $0.draft.message = $1 } }
    /// Metadata of the message. Subscribers' filter expressions can test it. It is never encrypted.
    public var metadata: ([AnyHashable: Any]) -> PNPublishFileMessageAPICallBuilder { argument { $0.draft.metadata = $1 } }
    /// Whether the service stores the message in the channel's history; true by default.
    public var shouldStore: (Bool) -> PNPublishFileMessageAPICallBuilder { argument { $0.draft.isStored = $1 } }
    /// How many hours the history keeps the message; by default the keyset's setting.
    public var ttl: (UInt) -> PNPublishFileMessageAPICallBuilder { argument { $0.draft.ttl = $1 } }
    /// Whether the service copies the message to its other data centres; true by default.
    public var replicate: (Bool) -> PNPublishFileMessageAPICallBuilder { argument { $0.draft.isReplicated = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNPublishFileMessageAPICallBuilder { argument { $0.draft.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (PNPublishCompletionBlock?) -> Void {
        { block in
            let file = PubNubFileName(channel: self.draft.channel, id: self.identifier, name: self.name)
            self.client.publishFileMessage(self.draft, file: file, then: block)
        }
    }
}

extension PubNub {
    /// Makes the builders of requests that send, list, find, download and delete files.
    public var files: () -> PNFilesAPICallBuilder { { PNFilesAPICallBuilder(self) } }
    /// A new builder of a request that notifies subscribers of a file that has already been uploaded.
    public var publishFileMessage: () -> PNPublishFileMessageAPICallBuilder { { PNPublishFileMessageAPICallBuilder(self) } }
}

import EngineRuntime
import Foundation
import PubNubProtocol

/// Sends, lists, finds, downloads and deletes files.
public final class PNFilesAPICallBuilder: PNAPICallBuilder {
    /// Sends a file; takes the channel and the file's name.
    public var sendFile: (String, String) -> PNSendFileAPICallBuilder {
        { PNSendFileAPICallBuilder(self.client, channel: $0, name: $1) }
    }
    /// Returns the download URL of a file; takes its channel, id and name.
    public var listFiles: (String) -> PNListFilesAPICallBuilder { { PNListFilesAPICallBuilder(self.client, channel: $0) } }
    /// Tells where a file can be downloaded; takes its channel, id and name.
    public var fileURL: (String, String, String) -> PNFileDownloadURLAPICallBuilder {
        { PNFileDownloadURLAPICallBuilder(self.client, PubNubFileName(channel: $0, id: $1, name: $2)) }
    }
    /// Downloads a file; takes its channel, id and name.
    public var downloadFile: (String, String, String) -> PNDownloadFileAPICallBuilder {
        { PNDownloadFileAPICallBuilder(self.client, PubNubFileName(channel: $0, id: $1, name: $2)) }
    }
    /// Deletes a file; takes its channel, id and name.
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

    /// A stream and the number of bytes that it delivers. The stream belongs to the client from then on.
    public var stream: (InputStream, UInt) -> PNSendFileAPICallBuilder {
        { stream, size in
            self.draft.source = .stream(HandedOver(stream), size)
            return self
        }
    }
    /// The file's bytes.
    public var data: (Data) -> PNSendFileAPICallBuilder { argument { $0.draft.source = .data($1) } }
    /// A file on this machine.
    public var url: (URL) -> PNSendFileAPICallBuilder { argument { $0.draft.source = .file($1) } }
    /// A message about the file.
    public var message: (Any) -> PNSendFileAPICallBuilder { argument { $0.draft.message.message = $1 } }
    /// Metadata of the message about the file, which subscribers' filters can use.
    public var fileMessageMetadata: ([AnyHashable: Any]) -> PNSendFileAPICallBuilder {
        argument { $0.draft.message.metadata = $1 }
    }
    /// How many hours the message about the file is kept.
    public var fileMessageTTL: (UInt) -> PNSendFileAPICallBuilder { argument { $0.draft.message.ttl = $1 } }
    /// Whether the message about the file is kept in the history; true by default.
    public var fileMessageStore: (Bool) -> PNSendFileAPICallBuilder { argument { $0.draft.message.isStored = $1 } }
    /// The key with which the file is encrypted. The default is the client's cipher key.
    public var cipherKey: (String) -> PNSendFileAPICallBuilder { argument { $0.draft.cipherKey = $1 } }
    /// Further parameters of the requests.
    public var queryParam: ([AnyHashable: Any]) -> PNSendFileAPICallBuilder { argument { $0.draft.query = $1 } }

    /// Makes the calls. The block is called on the callback queue.
    public var performWithCompletion: (@escaping PNSendFileCompletionBlock) -> Void {
        { self.client.sendFile(self.draft, $0) }
    }
}

/// Lists the files of a channel.
public final class PNListFilesAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private let channel: String
    private var count: UInt = 100
    private var position: String?

    init(_ client: PubNub, channel: String) {
        self.channel = channel
        super.init(client)
    }

    /// The maximum number of results, up to 100.
    public var limit: (UInt) -> PNListFilesAPICallBuilder { argument { $0.count = $1 } }
    /// The start of the page: the `next` of the previous answer.
    public var next: (String) -> PNListFilesAPICallBuilder { argument { $0.position = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNListFilesAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (@escaping PNListFilesCompletionBlock) -> Void {
        { self.client.listFiles(self.channel, limit: self.count, next: self.position, query: self.query, $0) }
    }
}

/// Returns the download URL of a file.
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

    /// The key with which the file is decrypted. The default is the client's cipher key.
    public var cipherKey: (String) -> PNDownloadFileAPICallBuilder { argument { $0.key = $1 } }
    /// The file's destination; a new file in the directory for temporary files by default.
    public var url: (URL) -> PNDownloadFileAPICallBuilder { argument { $0.target = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNDownloadFileAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
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

    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNDeleteFileAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (@escaping PNDeleteFileCompletionBlock) -> Void {
        { self.client.deleteFile(self.file, query: self.query, $0) }
    }
}

/// Notifies subscribers of a file that has already been uploaded.
public final class PNPublishFileMessageAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = PublishDraft()
    private var identifier = ""
    private var name = ""

    /// The service's id of the file.
    public var fileIdentifier: (String) -> PNPublishFileMessageAPICallBuilder { argument { $0.identifier = $1 } }
    /// The file's name.
    public var fileName: (String) -> PNPublishFileMessageAPICallBuilder { argument { $0.name = $1 } }
    /// The channel to publish to.
    public var channel: (String) -> PNPublishFileMessageAPICallBuilder { argument { $0.draft.channel = $1 } }
    /// A message about the file.
    public var message: (Any) -> PNPublishFileMessageAPICallBuilder { argument { $0.draft.message = $1 } }
    /// Metadata that subscribers' filters can use.
    public var metadata: ([AnyHashable: Any]) -> PNPublishFileMessageAPICallBuilder { argument { $0.draft.metadata = $1 } }
    /// Whether the message is kept in the history; true by default.
    public var shouldStore: (Bool) -> PNPublishFileMessageAPICallBuilder { argument { $0.draft.isStored = $1 } }
    /// How many hours the message is kept.
    public var ttl: (UInt) -> PNPublishFileMessageAPICallBuilder { argument { $0.draft.ttl = $1 } }
    /// Whether other data centres get the message; true by default.
    public var replicate: (Bool) -> PNPublishFileMessageAPICallBuilder { argument { $0.draft.isReplicated = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNPublishFileMessageAPICallBuilder { argument { $0.draft.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (PNPublishCompletionBlock?) -> Void {
        { block in
            let file = PubNubFileName(channel: self.draft.channel, id: self.identifier, name: self.name)
            self.client.publishFileMessage(self.draft, file: file, then: block)
        }
    }
}

extension PubNub {
    /// Sends, lists, finds, downloads and deletes files.
    public var files: () -> PNFilesAPICallBuilder { { PNFilesAPICallBuilder(self) } }
    /// Notifies subscribers of a file that has already been uploaded.
    public var publishFileMessage: () -> PNPublishFileMessageAPICallBuilder { { PNPublishFileMessageAPICallBuilder(self) } }
}

import ChatDatabase
import ChatProtocol
import EngineRuntime
import Foundation
import NIOConcurrencyHelpers

// Sends messages with files (rules NH-17 to NH-19).
extension BaseChannel {
    /// Sends a message with a file. A content with a `remoteUrl` is sent at once; otherwise the application's ``MediaUploader`` uploads the
    /// file at `localPath` first. If there is no uploader, or if it fails, the error is 34011.
    ///
    /// - Parameters:
    ///   - params: the parameters.
    ///   - attachedHandler: called first, when the message is stored on this device.
    ///   - progressHandler: called with the uploaded percentage, which rises to at most 100.
    ///   - completionHandler: called once, unless the sending is cancelled.
    ///   - cancelHandler: called when the sending was cancelled by ``cancelSendingMediaMessage(_:completion:)``.
    public final func sendMediaMessage(
        params: SendMediaMessageParams, attachedHandler: ((_ message: Message?) -> Void)? = nil,
        progressHandler: ((_ progress: Int, _ message: Message?) -> Void)? = nil,
        completionHandler: ((_ message: Message?, _ error: NCError?) -> Void)? = nil,
        cancelHandler: ((_ message: Message?) -> Void)? = nil
    ) {
        let registry = engine.registry
        let attached = CallerBlock(attachedHandler)
        let progress = CallerBlock(progressHandler)
        let cancelled = CallerBlock(cancelHandler)
        let end = ending(completionHandler)
        let shown = ShownMessage(registry)
        startSending(
            params,
            MediaCallbacks(
                attached: { message in
                    let twin = shown.begin(message)
                    registry.run { attached(twin) }
                },
                progress: { percent, message in
                    let twin = shown.unchanged(message)
                    registry.run { progress(percent, twin) }
                },
                cancelled: { message in
                    let twin = shown.caughtUp(message)
                    registry.run { cancelled(twin) }
                },
                end: { message, error in end(message.map { shown.caughtUp($0) }, error) }))
    }

    /// Sends a message with a file and waits until the service has accepted it.
    ///
    /// - Throws: the reason why the service did not accept the message; 33200 when the sending was cancelled.
    @discardableResult
    public final func send(_ params: SendMediaMessageParams) async throws(NCError) -> Message {
        try await awaiting { completion in
            startSending(
                params,
                MediaCallbacks(
                    attached: { _ in }, progress: { _, _ in },
                    cancelled: { _ in completion(.failure(NCError(code: 33200, reason: "Sending the message was cancelled."))) },
                    end: { completion(.sending($0, $1)) }))
        }
    }

    /// Cancels the upload of a message's file. The message's status becomes `canceled`.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - completion: called once, on the callback queue. The error is -101 when the file is not being uploaded, for example because the
    ///     upload is complete.
    public final func cancelSendingMediaMessage(_ message: Message, completion: ((_ error: NCError?) -> Void)? = nil) {
        let confirm: Completion<Void> = engine.confirming(completion)
        if engine.registry.chat.media.cancel(message.local.clientID) {
            confirm(.success(()))
        } else {
            confirm(.failure(NCError(.unknownRequest, reason: "The file of this message is not being uploaded.")))
        }
    }

    private func startSending(_ params: SendMediaMessageParams, _ callbacks: MediaCallbacks) {
        let outgoing: Outgoing
        do throws(NCError) {
            outgoing = try Outgoing(params.content, params, to: channel, clientID: UUID().uuidString)
            _ = try outgoing.draft()
            try params.content.checkFile()
        } catch {
            return callbacks.end(nil, error)
        }
        engine.start(callbacks.end) { client throws(NCError) in
            let message = try client.attach(outgoing)
            callbacks.attached(message)
            client.uploadIfNeeded(
                outgoing.content as? MediaMessageContent ?? params.content, for: outgoing, as: message, callbacks: callbacks)
        }
    }
}

/// The callbacks for sending a message with a file.
struct MediaCallbacks: Sendable {
    var attached: @Sendable (Message) -> Void
    var progress: @Sendable (Int, Message) -> Void
    var cancelled: @Sendable (Message) -> Void
    var end: SendEnd
}

extension MediaMessageContent {
    /// Throws unless the content has a local file or an address that receivers can fetch.
    func checkFile() throws(NCError) {
        guard remoteUrl == nil else { return }
        guard LocalFile.size(localPath) > 0 else {
            throw NCError(code: 34018, reason: "The content's localPath names no file or an empty file.")
        }
    }
}

extension ChatClient {
    func uploadIfNeeded(
        _ content: MediaMessageContent, for outgoing: Outgoing, as message: Message, callbacks: MediaCallbacks
    ) {
        guard content.remoteUrl == nil, let path = content.localPath else {
            return dispatch(outgoing, as: message, then: callbacks.end)
        }
        let media = registry.chat.media
        guard let uploader = media.uploader else {
            let error = NCError(code: 34011, reason: "There is no MediaUploader. Set one, or set the remoteUrl.")
            return fail(message, as: .failed, because: error, then: callbacks.end)
        }
        let clientID = outgoing.clientID
        let file = MediaFile(localPath: path, name: content.name ?? "", messageType: outgoing.type)
        let gate = ProgressGate()
        let task = NIOLockedValueBox<Task<Void, Never>?>(nil)
        // The upload is registered before its task runs, because the end of the task removes the registration.
        media.begin(clientID, of: number) { error in
            task.withLockedValue { $0 }?.cancel()
            let isAsked = error.code == 33200
            self.work.async {
                self.fail(message, as: isAsked ? .cancelled : .failed, because: error) { message, error in
                    if isAsked { message.map(callbacks.cancelled) } else { callbacks.end(message, error) }
                }
            }
        }
        let upload = Task {
            let url: String?
            do {
                url = try await uploader.upload(file) { percent in
                    if gate.passes(max(percent, 0)) { callbacks.progress(percent, message) }
                }
            } catch {
                url = nil
            }
            guard media.end(clientID) else { return }
            self.work.async { self.uploaded(content, at: url, outgoing: outgoing, message: message, callbacks: callbacks) }
        }
        task.withLockedValue { $0 = upload }
    }

    private func uploaded(
        _ content: MediaMessageContent, at url: String?, outgoing: Outgoing, message: Message, callbacks: MediaCallbacks
    ) {
        guard let url else {
            return fail(
                message, as: .failed,
                because: NCError(
                    code: 34011, reason: "The application's MediaUploader threw an error, so the file was not uploaded."),
                then: callbacks.end)
        }
        content.remoteUrl = url
        let number = message.local.localID
        if number > 0, let kept = try? content.encoded(isLocal: true) {
            message.update { $0.content = kept }
            // An error of the local database is ignored. The only consequence is that the file is uploaded a second time if the message has
            // to be sent again.
            _ = try? local { _, database throws(ChatDatabaseError) in try database.setContent(kept, of: number) }
        }
        dispatch(outgoing, as: message, then: callbacks.end)
    }
}

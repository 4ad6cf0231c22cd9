import ChatDatabase
import ChatProtocol
import EngineRuntime
import Foundation

/// The completion handler of a send. It gets a message, an error, or both.
typealias SendEnd = @Sendable (_ message: Message?, _ error: NCError?) -> Void

// Sends messages (rules NH-10 to NH-15).
extension BaseChannel {
    /// Sends a message.
    ///
    /// While there is no connection, messages wait in the order of the calls. After a loss of the connection an unconfirmed message is sent
    /// again. The service recognises the repetition, so receivers get the message once.
    ///
    /// - Parameters:
    ///   - params: the parameters.
    ///   - attachedHandler: called first, when the message is stored on this device. The message then has a `clientId` and the status
    ///     `sending`.
    ///   - completionHandler: called once, on the callback queue, with the message and its `messageId`, or with an error. After an error a
    ///     stored message has the status `failed` and can be sent again with ``resendMessage(_:completionHandler:)``.
    public final func sendMessage(
        params: SendMessageParams, attachedHandler: ((_ message: Message?) -> Void)? = nil,
        completionHandler: ((_ message: Message?, _ error: NCError?) -> Void)? = nil
    ) {
        let attached = CallerBlock(attachedHandler)
        let registry = engine.registry
        let end = ending(completionHandler)
        let shown = ShownMessage(registry)
        startSending(
            params,
            attached: { message in
                let twin = shown.begin(message)
                registry.run { attached(twin) }
            },
            end: { message, error in end(message.map { shown.caughtUp($0) }, error) })
    }

    /// Sends a message and waits until the service has accepted it.
    ///
    /// - Throws: the reason why the service did not accept the message. If the message was stored on this device, its status is then
    ///   `failed`.
    @discardableResult
    public final func send(_ params: SendMessageParams) async throws(NCError) -> Message {
        try await awaiting { completion in
            startSending(params, attached: { _ in }, end: { completion(.sending($0, $1)) })
        }
    }

    /// Sends a message and waits until the service has accepted it: `try await channel.send(TextMessage(text: "Hello"))`.
    ///
    /// - Throws: the reason why the service did not accept the message.
    @discardableResult
    public final func send(_ content: MessageContent) async throws(NCError) -> Message {
        try await send(SendMessageParams(content: content))
    }

    /// Sends a failed message again, with the same client id. If the service had already accepted the message, it recognises the client id
    /// for at least an hour, and does not deliver the message twice. An addition to the vendor's SDK.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - completionHandler: like that of ``sendMessage(params:attachedHandler:completionHandler:)``.
    public final func resendMessage(
        _ message: Message, completionHandler: ((_ message: Message?, _ error: NCError?) -> Void)? = nil
    ) {
        let end = ending(completionHandler)
        let local = message.local
        guard local.isSent, local.status == .failed || local.status == .cancelled, local.channel == channel, local.localID > 0
        else {
            return end(
                message,
                NCError(.badArgument, reason: "Only messages of this channel that failed or were cancelled can be sent again."))
        }
        engine.start(end) { client throws(NCError) in
            let known = try client.local { _, database throws(ChatDatabaseError) in
                try database.restart(localID: local.localID)
            }
            guard let known else {
                throw NCError(.noSuchMessage, reason: "The message cannot be sent again: it was sent or deleted.")
            }
            message.update { $0 = known }
            client.dispatchAgain(Outgoing(again: known), as: message, then: end)
        }
    }

    private func startSending(
        _ params: SendMessageParams, attached: @escaping @Sendable (Message) -> Void, end: @escaping SendEnd
    ) {
        let outgoing: Outgoing
        do throws(NCError) {
            outgoing = try Outgoing(params.content, params, to: channel, clientID: UUID().uuidString)
            _ = try outgoing.draft()
        } catch {
            return end(nil, error)
        }
        engine.start(end) { client throws(NCError) in
            let message = try client.attach(outgoing)
            attached(message)
            client.dispatch(outgoing, as: message, then: end)
        }
    }

    /// Makes a completion that calls the application's block on the callback queue.
    final func ending(_ block: ((Message?, NCError?) -> Void)?) -> SendEnd {
        let block = CallerBlock(block)
        let registry = engine.registry
        return { message, error in registry.run { block(message, error) } }
    }
}

extension ChatEngine {
    /// Runs `body` on the client's queue. If nobody is signed in or `body` throws, `end` gets the error.
    func start(_ end: @escaping SendEnd, _ body: @escaping @Sendable (ChatClient) throws(NCError) -> Void) {
        let refused: Completion<Void> = { result in
            if case .failure(let error) = result { end(nil, error) }
        }
        perform(refused) { (client, _) throws(NCError) in try body(client) }
    }
}

// These functions must be called on the client's `work` queue.
extension ChatClient {
    /// Stores a message before it is sent.
    func attach(_ outgoing: Outgoing) throws(NCError) -> Message {
        guard let user else {
            throw NCError(
                .notConnectedYet, reason: "The server has not confirmed the user's token yet: wait for the completion of connect."
            )
        }
        var local = outgoing.local(from: user, at: ChatDatabase.timeOfDay())
        // If the database could not be opened, messages are sent without being stored (rule NC-6).
        if outgoing.isKept, database != nil {
            let draft = local
            local = try self.local { _, database throws(ChatDatabaseError) in try database.insert(draft) }
        } else {
            local.localID = TransientNumber.next()
        }
        return Message(local, user: user, content: outgoing.content)
    }

    /// Sends a failed message again. If its file has not been uploaded yet, the file is uploaded first.
    func dispatchAgain(_ outgoing: Outgoing, as message: Message, then end: @escaping SendEnd) {
        guard let media = outgoing.content as? MediaMessageContent else { return dispatch(outgoing, as: message, then: end) }
        let cancelled: @Sendable (Message) -> Void = {
            end($0, NCError(code: 33200, reason: "Sending the message was cancelled."))
        }
        let callbacks = MediaCallbacks(attached: { _ in }, progress: { _, _ in }, cancelled: cancelled, end: end)
        uploadIfNeeded(media, for: outgoing, as: message, callbacks: callbacks)
    }

    /// Passes a message to the session, and calls `end` with the outcome.
    func dispatch(_ outgoing: Outgoing, as message: Message, then end: @escaping SendEnd) {
        let draft: ChatMessageDraft
        do throws(NCError) {
            draft = try outgoing.draft()
        } catch {
            return fail(message, as: .failed, because: error, then: end)
        }
        send(draft) { result in
            switch result {
            case .success(let sent): self.finish(message, sent: sent, then: end)
            case .failure(let error): self.fail(message, as: .failed, because: error, then: end)
            }
        }
    }

    private func finish(_ message: Message, sent: ChatSentMessage, then end: SendEnd) {
        message.update { local in
            local.id = sent.id
            local.sentTime = sent.time
            local.status = .sent
        }
        let number = message.local.localID
        if number > 0 {
            // An error of the local database is ignored, because the service has accepted the message. Loading the history later corrects
            // the stored message.
            _ = try? local { _, database throws(ChatDatabaseError) in try database.finish(localID: number, id: sent.id) }
        }
        end(message, nil)
    }

    func fail(_ message: Message, as status: LocalMessageStatus, because error: NCError, then end: SendEnd) {
        message.update { $0.status = status }
        let number = message.local.localID
        if number > 0 {
            // An error of the local database is ignored: opening the database again marks messages with the status `sending` as failed
            // (rule NC-14).
            _ = try? local { _, database throws(ChatDatabaseError) in try database.fail(localID: number, status: status) }
        }
        end(message, error)
    }
}

extension Result where Success == Message, Failure == NCError {
    /// Converts the arguments of a send's completion to a result.
    static func sending(_ message: Message?, _ error: NCError?) -> Self {
        if let message, error == nil { return .success(message) }
        return .failure(error ?? .strangeAnswer)
    }
}

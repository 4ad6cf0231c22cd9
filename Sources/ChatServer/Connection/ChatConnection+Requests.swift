import ChatProtocol
import Identifiers
import Logging
import NIOCore
import ServerRuntime

/// Handles the frames that a client sends.
extension ChatConnection {
    /// Handles a text message of the client, valid or not (rules NV-9 and NV-10).
    func read(_ bytes: UnsafeRawBufferPointer) {
        do throws(ChatFrameError) {
            let frame = try sessions.parser.parse(bytes)
            guard !expectsGreeting else {
                guard case .hello(let hello) = frame else { return close(.bye(.noHello)) }
                return greet(hello)
            }
            perform(frame, bytes)
        } catch {
            guard !expectsGreeting else { return close(.bye(ChatBye(code: .badHello, reason: error.refusal.reason))) }
            sessions.framesRefused[slot] += 1
            logUnread(error.refusal)
            switch error.kind {
            case .ignored: return
            // The answer has the number 0, which no request has, because the number of a malformed request is unknown.
            case .malformed: refuse(0, error.refusal)
            case .refused(let number): refuse(number, error.refusal)
            }
        }
    }

    /// Logs a frame that could not be parsed. The session continues. The log entry has the text of the answer, which contains no part of
    /// the frame (rule SO-173).
    private func logUnread(_ refusal: ChatRequestRefusal) {
        loop.state.note("error sent to the client", .client, in: service.context) { details(of: refusal) }
    }

    /// Logs the refusal in the answer to a valid request, for example because of a rate or a missing right; other answers are not logged.
    /// The level is debug, because applications expect such answers, or warning if the server failed (rule SO-175).
    func logRefusal(in answer: ByteBuffer) {
        let message = answer.messageOfServerFrame
        guard isOpen, message.starts(with: ChatWire.refusalStart.utf8) else { return }
        var decoder = ChatFrameDecoder()
        guard case .refusal(_, let refusal) = message.withUnsafeBytes({ decoder.text($0) }) else { return }
        if refusal.code == .storageFailed {
            loop.state.note("error sent to the client", .server, in: service.context) { details(of: refusal) }
        } else {
            loop.state.noteAnswer("error sent to the client", in: service.context) { details(of: refusal) }
        }
    }

    /// The log fields for a refused frame. They contain nothing of the frame.
    private func details(of refusal: ChatRequestRefusal) -> Logger.Metadata {
        var metadata = logMetadata.merging(endingDetails) { $1 }
        metadata["service"] = "\(service.webSockets.name.rawValue)"
        metadata["code"] = "\(refusal.code.rawValue)"
        metadata["reason"] = "\(logText(refusal.reason.utf8))"
        if let address = context?.remoteAddress?.ipAddress { metadata["address"] = "\(address)" }
        return metadata
    }

    private func perform(_ frame: ChatClientFrame, _ bytes: UnsafeRawBufferPointer) {
        guard let application else { return }
        guard let peer, let line = peer.line else { return performEarly(frame) }
        switch frame {
        case .hello: close(.bye(.noHello))
        case .acknowledge(let sequence):
            application.acknowledge(min(sequence, reader.written), by: peer.user)
            if reader.acknowledge(sequence) { readInbox(application) }
        case .typing(let user, let type):
            application.tellTyping(type, to: Identifier(user), by: peer)
            hold(until: service.context.congestion.full)
        case .leave(let disablePush):
            leaving = disablePush
            close(.plain(.normal, ""))
        case .request(let request, let number):
            requestBegins()
            application.perform(request, number, read: bytes, by: peer) { answer in
                line.mailbox.enqueue(.answer(line.connection, answer, isLogged: false))
            }
            hold(until: service.context.congestion.full)
        }
    }

    /// Handles a frame before the session has been admitted, when requests are not allowed yet.
    private func performEarly(_ frame: ChatClientFrame) {
        switch frame {
        case .acknowledge, .typing: return
        case .leave(let disablePush):
            leaving = disablePush
            close(.plain(.normal, ""))
        case .hello, .request: close(.bye(.noHello))
        }
    }

    /// Refuses a frame that could not be parsed, after the answers to earlier frames.
    private func refuse(_ number: UInt64, _ refusal: ChatRequestRefusal) {
        guard let application, let peer, let line = peer.line else { return }
        requestBegins()
        application.refuse(number, refusal, to: peer) { answer in
            line.mailbox.enqueue(.answer(line.connection, answer, isLogged: true))
        }
    }
}

extension ChatWire {
    /// The largest size of an answer in bytes (rule NV-63). With a larger answer the client itself could count as a slow reader and be
    /// closed. Pages of history are much smaller.
    static let maximumAnswerBytes = 786_432

    /// The first bytes of a frame that refuses a request.
    static let refusalStart = #"{"t":"no","#

    /// Encodes the answer to a request.
    static func answer(_ number: UInt64, _ result: Result<ChatResult, ChatRequestRefusal>) -> ByteBuffer {
        switch result {
        case .success(let result):
            let answer = ChatServerFrames.ok(number, result)
            switch result {
            case .history, .entrance: return frame(answer)
            default: return frame(answer.count <= maximumAnswerBytes ? answer : ChatServerFrames.no(number, .answerTooLarge))
            }
        case .failure(let refusal): return frame(ChatServerFrames.no(number, refusal))
        }
    }
}

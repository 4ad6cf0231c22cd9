import NIOCore
import NexconnProtocol
import RealtimeHub

/// Frames of the client.
extension NexconnConnection {
    /// A text message, whatever is in it (rules NV-9 and NV-10).
    func receive(_ bytes: UnsafeRawBufferPointer, at now: HubInstant) {
        do throws(NexconnFrameError) {
            let frame = try outlet.state.chat.parser.parse(bytes)
            guard phase != .greeting else {
                guard case .hello(let hello) = frame else { return close(.bye(.noHello)) }
                waiting = nil
                return greet(hello)
            }
            perform(frame)
        } catch {
            guard phase != .greeting else { return close(.bye(NexconnBye(code: .badHello, reason: error.refusal.reason))) }
            outlet.state.figures.applications.count(slot) { $0.framesRefused += 1 }
            switch error.kind {
            case .ignored: return
            // Its number is not known, and 0 is nobody's.
            case .malformed: answer(0, .failure(error.refusal))
            case .refused(let number): answer(number, .failure(error.refusal))
            }
        }
    }

    private func perform(_ frame: NexconnClientFrame) {
        guard let application else { return }
        guard let peer else { return performEarly(frame) }
        switch frame {
        case .hello: close(.bye(.noHello))
        case .acknowledge(let sequence):
            application.acknowledge(min(sequence, reader.written), by: peer.user)
            if reader.acknowledge(sequence) { readInbox(application) }
        case .typing(let user, let type):
            application.tellTyping(type, to: user, by: peer)
            holdIfCongested()
        case .leave(let disablePush):
            leaving = disablePush
            close(.plain(.normal, ""))
        case .request(let request, let number):
            let (connection, outlet) = (peer.connection, peer.outlet)
            requestBegins()
            application.perform(request, by: .session(peer)) { result in
                outlet.enqueue(.chat(.answer(connection, NexconnWire.answer(number, result))))
            }
            holdIfCongested()
        }
    }

    /// What comes before the session has been let in: nothing can be asked yet.
    private func performEarly(_ frame: NexconnClientFrame) {
        switch frame {
        case .acknowledge, .typing: return
        case .leave(let disablePush):
            leaving = disablePush
            close(.plain(.normal, ""))
        case .hello, .request: close(.bye(.noHello))
        }
    }

    /// Answers what could not be read, behind the answers to what was read before.
    private func answer(_ number: UInt64, _ result: Result<NexconnResult, NexconnRefusal>) {
        guard let application, let peer else { return }
        let (connection, outlet) = (peer.connection, peer.outlet)
        requestBegins()
        application.answer(result) { result in
            outlet.enqueue(.chat(.answer(connection, NexconnWire.answer(number, result))))
        }
    }
}

extension NexconnWire {
    /// The answer to a request.
    static func answer(_ number: UInt64, _ result: Result<NexconnResult, NexconnRefusal>) -> ByteBuffer {
        switch result {
        case .success(let result): frame(NexconnServerFrames.ok(number, result))
        case .failure(let refusal): frame(NexconnServerFrames.no(number, refusal))
        }
    }
}

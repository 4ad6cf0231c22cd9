import ConnectionEngine
import Foundation

extension PusherConnection {
    /// Passes a log line to the delegate. Must be called on the callback queue.
    func log(_ level: LogLine.Level, _ head: LogLine.Head, rest: @autoclosure () -> String = "") {
        guard delegateBox.delegate != nil else { return }
        delegateBox.debugLog(LogLine(level: level, head: head, rest: rest()).text)
    }

    /// Passes a log line to the delegate. May be called from any thread.
    func logLater(_ level: LogLine.Level, _ head: LogLine.Head, rest: @autoclosure () -> String = "") {
        guard delegateBox.delegate != nil else { return }
        let line = LogLine(level: level, head: head, rest: rest()).text
        callbackQueue.async { [weak self] in self?.delegateBox.debugLog(line) }
    }

    /// Passes an error to the callbacks that get errors as events, and to the delegate. May be called from any thread.
    func report(_ error: PusherError) {
        callbackQueue.async { [weak self] in self?.deliver(error) }
    }

    func log(_ change: ConnectionChange) {
        switch change.phase {
        case .waiting, .suspended:
            if let cause = change.cause { log(cause) }
            let most = reconnectAttemptsMax.map { " of \($0)" } ?? ""
            let attempt = "(attempt \(change.attempt)\(most))"
            let pause = change.retryIn ?? .zero
            if pause > .zero {
                let seconds = String(format: "%.2f", pause.inSeconds)
                log(.debug, .reconnecting, rest: "\(seconds) seconds \(attempt)")
            } else {
                log(.debug, .reconnectingNow, rest: attempt)
            }
        case .failed:
            if let cause = change.cause { log(cause) }
            if let most = reconnectAttemptsMax, change.attempt >= most { log(.warning, .attemptsExhausted) }
        case .disconnected:
            log(.debug, .deliberate)
        case .idle, .connecting, .connected, .disconnecting:
            return
        }
    }

    private func log(_ cause: ConnectionFailure) {
        if let code = cause.closeCode {
            log(.info, .disconnected, rest: "Close code: \(code). Reason: \(cause.reason).")
        } else {
            log(.error, .failed, rest: "Error: \(cause)")
        }
    }
}

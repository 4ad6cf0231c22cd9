// The Swift examples of the Nexconn Chat page on monitoring the connection's status. Adjusted: `print` goes to the test, token and
// time limit are the test's, and a branch that holds a comment only says so.
import Foundation
import NexconnChatSDK

/// Takes what an example prints.
final class PrintedLines: @unchecked Sendable {
    // `@unchecked Sendable`: `lines` is touched under `lock` only.
    private let lock = NSLock()
    private var lines: [String] = []

    func add(_ line: String) { lock.withLock { lines.append(line) } }
    var all: [String] { lock.withLock { lines } }
}

/// Text that may hold optional values, as the page prints a user's id that is one.
struct PrintedLine: ExpressibleByStringInterpolation {
    struct StringInterpolation: StringInterpolationProtocol {
        var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {}
        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation<Value: CustomStringConvertible>(_ value: Value) { text += value.description }
        mutating func appendInterpolation(_ value: String?) { text += value ?? "nil" }
    }

    let text: String

    init(stringLiteral value: String) { text = value }
    init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }
}

// Listen for connection status changes.
final class ConnectionMonitor: NSObject, ConnectionStatusHandler {
    let lines = PrintedLines()

    func print(_ line: PrintedLine) { lines.add(line.text) }

    func listen() {
        NCEngine.addConnectionStatusHandler(identifier: "MyConnectionHandler", handler: self)
    }

    func onConnectionStatusChanged(_ event: ConnectionStatusChangedEvent) {
        switch event.status {
        case .connected:
            print("Connected successfully.")
        case .networkUnavailable:
            print("Network unavailable; SDK will reconnect automatically.")
        case .tokenIncorrect:
            // Retrieve a new access token from your server and reconnect.
            break
        case .kickedOfflineByOtherClient:
            print("Kicked offline by another device.")
        default:
            print("Connection status changed: \(event.status.rawValue)")
        }
    }

    // To remove the handler when it is no longer needed.
    func stop() {
        NCEngine.removeConnectionStatusHandler(forIdentifier: "MyConnectionHandler")
    }
}

struct ChatConnectionExamples {
    let lines = PrintedLines()

    func print(_ line: PrintedLine) { lines.add(line.text) }

    // Get the current connection status.
    func status() -> NCConnectionStatus {
        let status = NCEngine.getConnectionStatus()
        return status
    }

    // Handle status in connection callbacks.
    func connect(token: String, timeout: Int = 30) {
        let params = ConnectParams(token: token)
        params.timeout = timeout

        NCEngine.connect(
            params: params,
            databaseOpenedHandler: { isRecreated, error in
                guard error == nil else {
                    print("Database open failed: \(error!.localizedDescription)")
                    return
                }
                if isRecreated {
                    print("Local data was recreated. Reload remote data if needed.")
                }
            },
            completionHandler: { userId, error in
                guard error == nil else {
                    switch error!.errorCode {
                    case 15:
                        print("Token is invalid or expired. Request a new token and reconnect.")
                    case 14:
                        print("Connection timed out. Prompt the user to retry.")
                    default:
                        print("Connection failed, error code: \(error!.errorCode)")
                    }
                    return
                }
                print("Connected successfully, user ID: \(userId)")
            }
        )
    }
}

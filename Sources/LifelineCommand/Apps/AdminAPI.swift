import ConnectionEngine
import Foundation
import HTTPTransport
import Lifeline
import ServerStorage
import TransportCommon
import WireCoding

/// Makes the calls of `lifeline apps` to a server's admin port, with the console's password (rules AR-14 and AR-21).
struct AdminAPI: Sendable {
    private let base: String
    private let password: Secret
    private let caller: HTTPCaller
    private let limit: Duration

    /// The largest accepted answer in bytes: 64 MiB, enough for a list of the largest permitted number of applications.
    private static let longestAnswer = 64 << 20

    init(_ options: AdminAccessOptions) throws(CommandFailure) {
        if let ca = options.ca, !FileManager.default.isReadableFile(atPath: ca) {
            throw CommandFailure("--ca \(ca) cannot be read. Name a PEM file with certificates.", .usage)
        }
        let (url, password) = try options.access()
        let host = try ServiceAddress(url).host
        let name = host.name.contains(":") ? "[\(host.name)]" : host.name
        base = "\(host.tls ? "https" : "http")://\(name):\(host.port)/console/api/apps"
        self.password = password
        caller = HTTPCaller(trustRoots: options.ca.map { .file($0) } ?? .system, bodyLimit: Self.longestAnswer)
        limit = .seconds(options.timeout)
    }

    /// Makes a call and reads its answer, a JSON object.
    ///
    /// - Parameter path: the parts of the path after `/console/api/apps`.
    func call(_ method: String, _ path: [String], body: JSONValue = [:]) async throws(CommandFailure) -> JSONValue {
        let login = Data("lifeline:\(password.revealed)".utf8).base64EncodedString()
        let call = HTTPCall(
            method: method, url: ([base] + path.map { PercentEncoding.encode($0) }).joined(separator: "/"),
            headers: [HTTPField("Authorization", "Basic \(login)"), HTTPField("Content-Type", "application/json")],
            body: method == "POST" ? Array(body.text.utf8) : [])
        let answer: HTTPCallAnswer
        do throws(ConnectionFailure) {
            answer = try await caller.send(call, timeout: limit)
        } catch {
            throw CommandFailure(
                "\(error.reason) Start the server with an admin port (--admin-port), and give the address of that port with --url."
            )
        }
        // If the body is not JSON, a program other than a server's admin port has answered.
        let value = try? JSONValue(parsing: answer.body)
        guard answer.isSuccess else { throw Self.refusal(answer.status, value?["error"]?.string) }
        guard let value, value.object != nil else {
            throw CommandFailure(
                "The server's answer is not a JSON object, so the program at this address is no admin port. Check --url.")
        }
        return value
    }

    /// Makes the error for an HTTP status that is not a success. It ends with the server's own text, except for a wrong password (401) and
    /// an unknown path (404), where the command gives better advice.
    static func refusal(_ status: Int, _ words: String?) -> CommandFailure {
        let said = words.map { " \($0.prefix(1_000).printable)" } ?? ""
        switch status {
        case 401:
            return CommandFailure(
                "The server refused the password: it is not the console's password. Check --password-file or LIFELINE_ADMIN_PASSWORD."
            )
        case 404 where words == nil || words == "There is nothing at this path.":
            return CommandFailure(
                "The server does not support the request of this command (status 404). With --url name the admin port, not the "
                    + "public port, of a server of the same version as this program."
            )
        default: return CommandFailure("The server refused the call with status \(status).\(said)")
        }
    }
}

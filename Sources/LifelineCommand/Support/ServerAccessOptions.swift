import ArgumentParser
import Foundation
import Lifeline
import ServerStorage

/// The options for a server's address and for the credentials of its HTTP API. Shared by commands that make the calls of an application's
/// own server.
struct ServerAccessOptions: ParsableArguments {
    @Option(
        help:
            "The server's address: http, https, ws or wss, host and port (default: from the configuration, else http://127.0.0.1:6001)."
    )
    var url: String?

    @Option(
        help: ArgumentHelp(
            "A configuration file of the server, from which address, keys and secret are read. Also LIFELINE_CONFIG.",
            valueName: "file"), completion: .file())
    var config: String?

    @Option(help: "The app's key (Pusher) or the subscribe key (PubNub); default: from the configuration, else app-key or demo.")
    var key: String?

    @Option(help: "PubNub's publish key (default: from the configuration, else demo).")
    var publishKey: String?

    @Option(help: "The app's id in Pusher's HTTP API (default: from the configuration, else 1001).")
    var appID: String?

    @Option(
        help: ArgumentHelp("A file that contains the app's secret, and nothing else; - for standard input.", valueName: "file"),
        completion: .file())
    var secretFile: String?

    @Option(
        help:
            "The app's secret. The shell stores it in its history, and other users of this machine can see it while the program starts: prefer --config, --secret-file, or LIFELINE_APP_SECRET, LIFELINE_PUBNUB_SECRET and LIFELINE_NEXCONN_SECRET."
    )
    var secret: String?

    @Option(
        help: ArgumentHelp("Trusts these certificate authorities (PEM) instead of the system's.", valueName: "file"),
        completion: .file())
    var ca: String?

    @Option(help: ArgumentHelp("Connects through this proxy: http://[USER:PASSWORD@]HOST:PORT.", valueName: "url"))
    var proxy: String?

    @Option(help: ArgumentHelp("The time limit of each request to the server.", valueName: "seconds"))
    var timeout = 10.0

    func validate() throws {
        if secret != nil, secretFile != nil {
            throw ValidationError("--secret and --secret-file exclude each other.")
        }
        if !(timeout > 0 && timeout <= 600) { throw ValidationError("--timeout takes a number of seconds, at most 600.") }
    }
}

extension ServerAccessOptions {
    /// The server's address: from `--url`, else from the configuration, else the usual one (rule CL-127).
    func address(environment: [String: String] = ProcessInfo.processInfo.environment) throws(CommandFailure) -> String {
        if let url { return url }
        return try CredentialSources(config: config, environment: environment).address()
    }

    /// The credentials: from the options, else from the configuration and the environment variables, which are read like those of a server
    /// (rule CL-103).
    func credentials(
        for service: ServiceKind, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) -> ServerCredentials {
        try CredentialSources(config: config, environment: environment).credentials(
            for: service, key: key, publishKey: publishKey, appID: appID,
            given: CredentialSources.secret(secret, file: secretFile))
    }
}

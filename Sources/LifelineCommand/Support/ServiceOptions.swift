import ArgumentParser
import Foundation
import Lifeline

/// The services that a command can talk to.
enum ServiceName: String, CaseIterable, ExpressibleByArgument, Sendable {
    case pusher, pubnub, nexconn
}

/// `--timing`.
enum TimingName: String, CaseIterable, ExpressibleByArgument, Sendable {
    case `default`, fast

    var profile: TimingProfile { self == .fast ? .fast : .standard }
}

/// Which service, where, and as whom. Shared by all commands that connect.
struct ServiceOptions: ParsableArguments {
    @Option(help: "The service to speak to.")
    var service = ServiceName.pusher

    @Option(help: "Where it is: http, https, ws or wss, host and port.")
    var url = "http://127.0.0.1:6001"

    @Option(help: "The app's key.")
    var key = "app-key"

    @Option(help: ArgumentHelp("A publish key, for services that have one.", visibility: .hidden))
    var publishKey: String?

    @Option(help: "The app's secret: signs channels and what is published.")
    var secret: String?

    @Option(help: "Asks this address to authorise channels, instead of --secret.")
    var authEndpoint: String?

    @Option(help: "The app's number in the HTTP API.")
    var appID = "1001"

    @Option(help: "The user id on presence channels (default: --name).")
    var user: String?

    @Option(help: ArgumentHelp("A token, for services that have one.", visibility: .hidden))
    var token: String?

    @Option(help: "Names this client in every line.")
    var name: String?

    @Option(help: "How fast outages are noticed and mended.")
    var timing = TimingName.default

    @Option(help: ArgumentHelp("Trusts these certificate authorities (PEM) instead of the system's.", valueName: "file"))
    var ca: String?

    func validate() throws {
        if secret != nil && authEndpoint != nil {
            throw ValidationError("--secret and --auth-endpoint exclude each other: one of them authorises channels.")
        }
    }

    /// What stands in the field `sub`.
    var subscriber: String { name ?? user ?? "lifeline" }

    func makeService() throws(CommandFailure) -> Service {
        guard service == .pusher else {
            throw CommandFailure("--service \(service.rawValue) is not there yet: this version speaks pusher.", .usage)
        }
        if let ca, !FileManager.default.isReadableFile(atPath: ca) {
            throw CommandFailure("--ca \(ca) cannot be read. Name a PEM file with certificates.", .usage)
        }
        let address = try ServiceAddress(url)
        let access: PusherAccess
        if let secret {
            access = .secret(secret, appID: appID)
        } else if let authEndpoint {
            access = .endpoint(authEndpoint)
        } else {
            access = .none
        }
        return .pusher(
            key: key, host: address.host, path: address.path, access: access, user: (user ?? name).map { Member(id: $0) })
    }

    var clientOptions: ClientOptions {
        ClientOptions(timing: timing.profile, certificateAuthorityFile: ca, backlog: 16_384)
    }

    /// What was given and does nothing with this service.
    var notes: [String] {
        var notes: [String] = []
        if publishKey != nil { notes.append("--publish-key is for PubNub; pusher does not use it.") }
        if token != nil { notes.append("--token is for chat sessions; pusher does not use it.") }
        return notes
    }
}

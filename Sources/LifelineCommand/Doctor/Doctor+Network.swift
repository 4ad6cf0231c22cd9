import Foundation
import NIOCore
import NIOPosix
import TransportCommon

/// The steps for the name, the TCP connection and the proxy.
extension Doctor {
    /// The host and port of the TCP connection: those of the proxy if there is a proxy, otherwise those of the server.
    private var dialled: (host: String, port: Int) { target.proxy.map { ($0.host, $0.port) } ?? (target.host, target.port) }
    private var dialledName: String { target.proxy == nil ? target.authority : "the proxy \(dialled.host):\(dialled.port)" }

    mutating func resolve() async throws -> StepVerdict {
        let (host, port) = dialled
        if let address = try? SocketAddress(ipAddress: host, port: port) {
            addresses = [address]
            return .passed("\(host) is an address")
        }
        addresses = try await lookUpAddresses(host, port)
        if addresses.isEmpty { throw Finding.unknownName(host) }
        let shown = addresses.compactMap(\.ipAddress)
        return .passed(
            "\(target.proxy == nil ? "" : "proxy: ")\(shown.count) address\(shown.count == 1 ? "" : "es"): \(shown.joined(separator: ", "))"
        )
    }

    private func lookUpAddresses(_ host: String, _ port: Int) async throws -> [SocketAddress] {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let resolver = SystemResolver(eventLoop: loop, lookUp: lookUp)
        let promise = loop.makePromise(of: [SocketAddress].self)
        // The system's name lookup cannot be cancelled. A result that arrives after the time limit is ignored.
        let timer = loop.scheduleTask(in: amount) { promise.fail(ProbeTimeout()) }
        resolver.initiateAAAAQuery(host: host, port: port).and(resolver.initiateAQuery(host: host, port: port))
            .map { $0 + $1 }.cascade(to: promise)
        defer { timer.cancel() }
        do {
            return try await promise.futureResult.get()
        } catch is ProbeTimeout {
            throw Finding.resolutionTimeout(host)
        } catch let failure as SystemResolver.LookupFailure {
            throw failure.isUnknownName ? Finding.unknownName(host) : Finding.resolverFailed(host)
        }
    }

    mutating func connect() async throws -> StepVerdict {
        var failed: [(address: SocketAddress, finding: Finding)] = []
        for candidate in addresses {
            do {
                link = try await ProbeLink.connect(to: candidate, limit: amount)
                address = candidate
                break
            } catch {
                failed.append((candidate, .connecting(error, to: dialledName)))
            }
        }
        guard let address else {
            // If the host's addresses failed for different reasons, an error such as a refused connection is reported rather than a
            // timeout, because it says more about the cause.
            throw failed.first { $0.finding.code != "connect-timeout" }?.finding ?? failed.first?.finding
                ?? .unknownName(dialled.host)
        }
        let reached = address.ipAddress ?? dialled.host
        let words = "to \(target.proxy == nil ? "" : "the proxy at ")\(reached) port \(dialled.port)"
        if failed.isEmpty { return .passed(words) }
        return .noted(words, .partlyReachable(failed.compactMap(\.address.ipAddress), reached: reached))
    }

    mutating func tunnel() async throws -> StepVerdict {
        guard let proxy = target.proxy, let link else { return .skipped("none was given") }
        try await forward(link, proxy)
        return .passed("\(proxy.host) port \(proxy.port) forwards to \(target.authority)")
    }

    /// Requests a tunnel from a proxy (rule WT-16).
    func forward(_ link: ProbeLink, _ proxy: HTTPProxy) async throws {
        var request = "CONNECT \(target.authority) HTTP/1.1\r\nHost: \(target.authority)\r\n"
        if let credentials = proxy.credentials {
            let plain = Data("\(credentials.user):\(credentials.password)".utf8).base64EncodedString()
            request += "Proxy-Authorization: Basic \(plain)\r\n"
        }
        let answer: ProbeAnswer
        do {
            answer = try await link.ask(request + "\r\n", within: amount)
        } catch is ProbeTimeout {
            throw Finding.proxyTimeout
        } catch is ProbeNotHTTP {
            throw Finding.proxyNotHTTP
        } catch {
            throw Finding.proxyHungUp
        }
        guard (200..<300).contains(answer.status) else {
            throw Finding.proxyRefusal(
                status: answer.status, hasCredentials: proxy.credentials != nil, target: target.authority)
        }
    }

    /// Opens another connection to the server itself, without TLS, for steps that need a new connection.
    func reopen() async throws -> ProbeLink {
        guard let address else { throw Finding.cut }
        let link: ProbeLink
        do {
            link = try await ProbeLink.connect(to: address, limit: amount)
        } catch {
            throw Finding.connecting(error, to: dialledName)
        }
        if let proxy = target.proxy { try await forward(link, proxy) }
        return link
    }
}

import ConnectionEngine
import Foundation
import NIOSSL
import Testing
import X509

@testable import TransportCommon

/// Rule WT-17: which certificates are on the way from a server's own to a trusted root.
@Suite struct ChainVerifierTests {
    private let root: TestIssuer
    private let middle: TestIssuer
    private let server: TestIssuer
    private let roots: [NIOSSLCertificate]

    init() throws {
        root = try TestIssuer("Root")
        middle = try TestIssuer("Middle")
        server = try TestIssuer("Server")
        roots = try [root.authority()]
    }

    /// The chain that is found, nil for none.
    private func chain(
        _ sent: [NIOSSLCertificate], host: String = "host.test", roots: [NIOSSLCertificate]? = nil, days: Int64 = 0
    ) -> [NIOSSLCertificate]? {
        let verifier = ChainVerifier(roots: TrustedRoots(roots ?? self.roots))
        let verdict = verifier.verify(sent, host: host, unixTime: WallClock.unixTime + days * 86_400)
        guard case .certificateVerified(let metadata) = verdict else { return nil }
        return metadata.validatedCertificateChain.map { Array($0) }
    }

    @Test func `A chain leads over what was sent, in any order, to a root`() throws {
        let lower = try TestIssuer("Lower")
        let leaf = try lower.server(server)
        let links = try [middle.authority(for: lower), root.authority(for: middle)]
        let stranger = try TestIssuer("Stranger").authority()
        #expect(chain([leaf] + links) == [leaf] + links + roots)
        #expect(chain([leaf, stranger] + links.reversed() + roots) == [leaf] + links + roots)
        #expect(chain([leaf, links[0]]) == nil)
        #expect(chain([leaf]) == nil && chain([]) == nil)
    }

    @Test func `Name, dates and purposes are those of a server`() throws {
        let leaf = try root.server(server)
        #expect(chain([leaf]) == [leaf] + roots)
        #expect(chain([leaf], host: "other.test") == nil)
        #expect(chain([leaf], days: 31) == nil && chain([leaf], days: -2) == nil)
        let client = try root.certificate(for: server) {
            SubjectAlternativeNames([.dnsName("host.test")])
            try ExtendedKeyUsage([.clientAuth])
        }
        let signer = try root.certificate(for: server) {
            SubjectAlternativeNames([.dnsName("host.test")])
            KeyUsage(keyCertSign: true)
        }
        let demanding = try root.certificate(for: server) {
            SubjectAlternativeNames([.dnsName("host.test")])
            Certificate.Extension(oid: [1, 2, 3, 4], critical: true, value: [5, 0])
        }
        for certificate in [client, signer, demanding] { #expect(chain([certificate]) == nil) }
    }

    @Test func `A certificate that is no authority's signs nothing, whoever else says that it does`() throws {
        let leaf = try middle.server(server)
        // The pinned authority issued an ordinary certificate; a careless one made the same key an authority.
        let ordinary = try root.server(middle)
        let careless = try TestIssuer("Careless")
        let crossed = try careless.authority(for: middle)
        #expect(chain([leaf, ordinary]) == nil)
        let both = try roots + [careless.authority()]
        #expect(chain([leaf, ordinary, crossed], roots: both) == [leaf, crossed, both[1]])
        let withoutSigning = try root.certificate(for: middle) {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
            Critical(KeyUsage(digitalSignature: true))
        }
        let forClients = try root.certificate(for: middle) {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
            try ExtendedKeyUsage([.clientAuth])
        }
        for link in [withoutSigning, forClients, try root.authority(for: middle, days: -10...(-1))] {
            #expect(chain([leaf, link]) == nil)
        }
    }

    @Test func `A name is not a signature`() throws {
        let impostor = try TestIssuer("Root")
        #expect(try chain([impostor.server(server), impostor.authority()]) == nil)
        let leaf = try middle.server(server)
        let other = try TestIssuer("Middle")
        #expect(try chain([leaf, root.authority(for: other)]) == nil)
        let genuine = try root.authority(for: middle)
        #expect(try chain([leaf, root.authority(for: other), genuine]) == [leaf, genuine] + roots)
    }

    @Test func `The length of a path is bounded where an authority says so, and in any case`() throws {
        let lower = try TestIssuer("Lower")
        let leaf = try lower.server(server)
        let lowest = try middle.authority(for: lower)
        #expect(try chain([leaf, lowest, root.authority(for: middle, below: 0)]) == nil)
        #expect(try chain([leaf, lowest, root.authority(for: middle, below: 1)]) != nil)
        var (sent, issuer) = ([NIOSSLCertificate](), root)
        for number in 0..<12 {
            let next = try TestIssuer("Link \(number)")
            sent.insert(try issuer.authority(for: next), at: 0)
            issuer = next
        }
        #expect(try chain([issuer.server(server)] + sent) == nil)
    }

    @Test func `Many ways that lead nowhere end soon`() throws {
        var sent: [NIOSSLCertificate] = []
        // Every one of these may have signed every other.
        for _ in 0..<40 { sent.append(try middle.authority()) }
        let leaf = try middle.server(server)
        let began = ContinuousClock.now
        #expect(chain([leaf] + sent) == nil)
        #expect(ContinuousClock.now - began < .seconds(5))
    }

    @Test func `A root may be sent, and be the server's own, also when it is no authority's`() throws {
        let leaf = try root.server(server)
        #expect(chain([leaf] + roots) == [leaf] + roots)
        let own = try server.server(server)
        #expect(chain([own], roots: [own]) == [own])
        // It signs nothing else, and another one of the same name is another one.
        #expect(chain([try server.server(middle), own], roots: [own]) == nil)
        #expect(chain([try server.server(server)], roots: [own]) == nil)
    }

    @Test(arguments: [
        (["allowed.test"], [], ["allowed.test", "a.allowed.test", "*.allowed.test"], true),
        (["allowed.test"], [], ["allowed.test", "other.test"], false), (["allowed.test"], [], ["notallowed.test"], false),
        ([".allowed.test"], [], ["allowed.test"], false), ([], ["bad.test"], ["good.test"], true),
        ([], ["bad.test"], ["a.BAD.test"], false), ([], ["a.bad.test"], ["*.bad.test"], false), ([""], [], ["any.test"], true),
    ])
    func `Names are within what an authority may issue`(
        permitted: [String], excluded: [String], names: [String], isAllowed: Bool
    ) throws {
        let link = try root.certificate(for: middle) {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
            Critical(
                NameConstraints(
                    permittedDNSDomains: permitted, excludedDNSDomains: excluded))
        }
        let leaf = try middle.server(server, names: (["host.test"] + names).map { .dnsName($0) })
        // The name that is dialled has to be allowed, too.
        let dialled = try #require(names.first).replacing("*", with: "x")
        #expect((chain([try middle.server(server, names: names.map { .dnsName($0) }), link], host: dialled) != nil) == isAllowed)
        if !permitted.isEmpty, permitted != [""] { #expect(chain([leaf, link], host: dialled) == nil) }
    }

    @Test func `Addresses are within what an authority may issue`() throws {
        let link = try root.certificate(for: middle) {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
            Critical(NameConstraints(permittedIPRanges: [.init(contentBytes: [10, 1, 0, 0, 255, 255, 0, 0])]))
        }
        for (address, isAllowed) in [([10, 1, 2, 3], true), ([10, 2, 2, 3], false)] as [([UInt8], Bool)] {
            let leaf = try middle.server(server, names: [.ipAddress(.init(contentBytes: address[...]))])
            let host = address.map(String.init).joined(separator: ".")
            #expect((chain([leaf, link], host: host) != nil) == isAllowed)
        }
    }
}

// As PusherSnippets.swift, for the catalog of LifelineUI. Scripts/check-swiftui.sh type-checks it on Linux.

#if canImport(SwiftUI)
    import LifelineUI
    import SwiftUI

    struct Price: Codable, Sendable {
        var company: String
        var cents: Int
    }

    struct PricesView: View {
        @State var banner: ConnectionBanner
        @State var prices: ChannelModel<Price>

        var body: some View {
            VStack {
                if let text = banner.text { Text(text) }
                List(prices.rows) { row in
                    switch row.content {
                    case .value(let price, _): Text(price.company)
                    case .gap: Text("Prices may be missing here")
                    case .undecodable, .unreadable: Text("A price that this version cannot read")
                    }
                }
            }
            .task { await prices.run() }
        }
    }
#endif

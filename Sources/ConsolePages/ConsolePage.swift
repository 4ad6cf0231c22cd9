/// A file of the console, which is part of the program.
package enum ConsolePage: String, CaseIterable, Hashable, Sendable {
    case index = "index.html"
    case style = "console.css"
    case app = "app.js"
    case parts = "parts.js"
    case charts = "charts.js"
    case overview = "overview.js"
    case channels = "channels.js"
    case live = "live.js"
    case people = "people.js"
    case update = "update.js"
    case trouble = "trouble.js"
    case icon = "icon.svg"

    package var bytes: [UInt8] {
        switch self {
        case .index: PackageResources.index_html
        case .style: PackageResources.console_css
        case .app: PackageResources.app_js
        case .parts: PackageResources.parts_js
        case .charts: PackageResources.charts_js
        case .overview: PackageResources.overview_js
        case .channels: PackageResources.channels_js
        case .live: PackageResources.live_js
        case .people: PackageResources.people_js
        case .update: PackageResources.update_js
        case .trouble: PackageResources.trouble_js
        case .icon: PackageResources.icon_svg
        }
    }

    package var contentType: StaticString {
        switch self {
        case .index: "text/html; charset=utf-8"
        case .style: "text/css; charset=utf-8"
        case .icon: "image/svg+xml"
        case .app, .parts, .charts, .overview, .channels, .live, .people, .update, .trouble: "text/javascript; charset=utf-8"
        }
    }
}

mod db;
mod entry;
